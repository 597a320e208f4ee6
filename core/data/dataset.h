#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/text/text_model.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tunebench {

/// The target of position i is labels[i + 1]; this value is nobody's target.
inline constexpr TokenId ignoredLabel = -100;

/// One training example: a row, or a preference pair as the row of its chosen answer followed by that of the rejected.
struct TokenRow {
    std::vector<TokenId> ids; ///< after truncation
    std::vector<TokenId> labels; ///< as long as ids, unshifted
    size_t rejected = 0; ///< of a preference pair: where the tokens of the rejected answer's row begin; 0: no pair
    size_t line = 0; ///< where it begins in its file, from 1
    uint64_t content = 0; ///< a hash: rows that say the same have the same
};

/// A row that cannot be used, with its place and the reason in words.
struct RefusedRow {
    std::string file;
    size_t line = 0;
    std::string reason;
    size_t row = 0; ///< its number among all rows of the dataset, from 0
};

/// What truncation took of the rows that are used; rows that it leaves nothing of are refused and not counted here.
struct TruncationCounts {
    int64_t rows = 0; ///< rows that were longer than max_length
    int64_t tokensCut = 0;
    int64_t answersCut = 0; ///< rows that lost supervised tokens
};

/// Usable rows as tokens and labels, and what was left out.
struct Dataset {
    DatasetFormat format = DatasetFormat::automatic; ///< as found or given
    std::string why; ///< how the format was found
    std::vector<std::string> columns;
    std::vector<TokenRow> rows;
    std::vector<RefusedRow> refused;
    TruncationCounts truncation;
    int64_t duplicates = 0; ///< usable rows that say what an earlier row says
    std::string fingerprint; ///< of the files' content
    bool kept = false; ///< the encoded rows of an earlier run were taken
    std::vector<std::string> notices; ///< what a person should know about how the rows were read
};

/// Rows done and rows in all; called from the loading thread now and then.
using LoadProgress = std::function<void(size_t done, size_t all)>;

/// What rows are encoded with.
struct EncodingSetup {
    const TextModel* text = nullptr; ///< null only for rows of tokens
    size_t vocabularySize = 0; ///< rows with higher ids are refused; 0: not known
    std::filesystem::path textFiles {}; ///< where `text` was opened; its content tells kept rows apart
    std::filesystem::path keptRows {}; ///< folder that keeps encoded rows from run to run; empty: none

    EncodingSetup(const TextModel* text = nullptr) // NOLINT(google-explicit-constructor): text alone is common
        : text(text)
    {
    }
};

/// The setup of rows that a model is to learn: `text` as opened from `textFiles`, and encoded rows kept in the user's
/// cache folder.
EncodingSetup keepingSetup(const TextModel* text, const std::filesystem::path& textFiles, int64_t vocabularySize);

/// Reads, renders and tokenises files by the options' rules: dataset_format, dataset_columns, max_rows, max_length,
/// truncation, loss_on, threads. An error when a file cannot be read, when chats meet a model without a chat template,
/// when the rows are preference pairs and the objective is not dpo (or the other way round), or when no row at all is
/// usable; it then counts the reasons. The result does not depend on the number of threads, nor on whether rows came
/// from the kept ones.
Result<Dataset> loadDataset(std::span<const std::string> files, const RunConfig& config, const EncodingSetup& setup,
    const LoadProgress& progress = {}, const std::stop_token& stop = {});

/// True when the files hold rows of tokens, which need no tokenizer.
Result<bool> holdsTokenRows(std::span<const std::string> files, const RunConfig& config);

/// How long a row is before truncation, and where in it there is something to learn.
struct RowExtent {
    uint32_t tokens = 0;
    uint32_t supervised = 0; ///< targets
    uint32_t firstTarget = 0, lastTarget = 0; ///< positions; the first token is nobody's target
};

/// What a look at the files shows before training, all of their rows, max_rows or not.
struct DatasetInspection {
    std::string names; ///< of the files, as messages have them
    DatasetFormat format = DatasetFormat::automatic;
    std::string why; ///< how the format was found
    std::vector<std::string> columns;
    int64_t rows = 0; ///< usable
    std::vector<RefusedRow> refused;
    int64_t duplicates = 0;
    /// Of each row that could be encoded, whether truncation leaves something or not; of a preference pair that of the
    /// chosen answer's row and that of the rejected.
    std::vector<RowExtent> extents;
    std::vector<std::string> notices; ///< as in Dataset
};

/// Without a text in the setup, rows other than tokens are read and checked, but not encoded.
Result<DatasetInspection> inspectDataset(std::span<const std::string> files, const RunConfig& config,
    const EncodingSetup& setup = {}, const LoadProgress& progress = {}, const std::stop_token& stop = {});

/// An error where no run with the objective can learn from the rows: preference pairs under another objective than dpo
/// (or the other way round), or none that could be encoded.
Result<void> checkLearnable(const DatasetInspection& found, Objective objective);

/// Rows for training and rows held out. With `evalRows` given they are held out whole; otherwise `eval_share` of the
/// rows (8 to 200, never more than half; 0: none) is drawn with the seed.
struct Split {
    std::vector<TokenRow> training;
    std::vector<TokenRow> heldOut;
};
Split splitRows(std::vector<TokenRow> rows, std::optional<std::vector<TokenRow>> evalRows, const RunConfig& config);

/// Which of the rows eval_share holds out: drawn with the seed.
std::vector<bool> drawHeldOut(size_t rows, const RunConfig& config);

/// How many rows held out say what a row for training says.
int64_t heldOutDuplicates(const Split& split);

/// How many rows eval_share holds out of `rows`.
int64_t heldOutCount(int64_t rows, double evalShare);

} // namespace tunebench
