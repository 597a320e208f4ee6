#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/text/text_model.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tunebench {

/// The target of position i is labels[i + 1]; this value is nobody's target.
inline constexpr TokenId ignoredLabel = -100;

/// One training example.
struct TokenRow {
    std::vector<TokenId> ids; ///< after truncation
    std::vector<TokenId> labels; ///< as long as ids, unshifted
    size_t line = 0; ///< where it begins in its file, from 1
};

/// A row that cannot be used, with its place and the reason in words.
struct RefusedRow {
    std::string file;
    size_t line = 0;
    std::string reason;
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
    std::vector<std::string> columns;
    std::vector<TokenRow> rows;
    std::vector<RefusedRow> refused;
    TruncationCounts truncation;
    std::string fingerprint; ///< of the files' content
    std::vector<std::string> notices; ///< how the files were read, where a person should know (RowSource::notices)
};

/// Rows done and rows in all; called from the loading thread now and then.
using LoadProgress = std::function<void(size_t done, size_t all)>;

/// Reads, renders and tokenises files (.json array or one object a line, .jsonl) by the options' rules: dataset_format,
/// max_rows, max_length, truncation, loss_on, threads. `text` may be null only for rows of tokens (no tokenizer is
/// opened for them). An error when a file cannot be read, when chats meet a model without a chat template, or when no
/// row at all is usable; it then counts the reasons. The result does not depend on the number of threads.
Result<Dataset> loadDataset(std::span<const std::string> files, const RunConfig& config, const TextModel* text,
    const LoadProgress& progress = {}, const std::stop_token& stop = {});

/// True when the files hold rows of tokens, which need no tokenizer.
Result<bool> holdsTokenRows(std::span<const std::string> files, const RunConfig& config);

/// An error that names the first row with an id or label that a model of `vocabularySize` tokens does not have.
Result<void> checkVocabulary(std::span<const TokenRow> rows, size_t vocabularySize);

/// What a look at the files shows before training, all of their rows, max_rows or not; without a model no lengths.
struct DatasetInspection {
    DatasetFormat format = DatasetFormat::automatic;
    std::vector<std::string> columns;
    int64_t rows = 0; ///< usable
    std::vector<RefusedRow> refused;
    std::vector<std::string> notices; ///< as in Dataset
};
Result<DatasetInspection> inspectDataset(std::span<const std::string> files, const RunConfig& config);

/// Rows for training and rows held out. With `evalRows` given they are held out whole; otherwise `eval_share` of the
/// rows (8 to 200, never more than half; 0: none) is drawn with the seed.
struct Split {
    std::vector<TokenRow> training;
    std::vector<TokenRow> heldOut;
};
Split splitRows(std::vector<TokenRow> rows, std::optional<std::vector<TokenRow>> evalRows, const RunConfig& config);

/// How many rows eval_share holds out of `rows`.
int64_t heldOutCount(int64_t rows, double evalShare);

} // namespace tunebench
