#pragma once

#include "core/data/dataset.h"
#include "core/model/model_files.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace tunebench {

/// What the preparation of a run tells its user: a sentence, and whether it is a warning.
using Notice = std::function<void(std::string text, bool warning)>;

/// The rows of a run as tokens, and what was left out on the way.
struct PreparedData {
    Split rows;
    DatasetFormat format = DatasetFormat::automatic;
    size_t refused = 0;
    size_t usable = 0; ///< before rows were held out
    TruncationCounts truncation;
    std::string fingerprint;
    TokenId padId = 0; ///< fills padding slots, which nothing ever looks at
};

/// The text files of the config's model; none for rows of tokens, which need none.
Result<std::optional<TextModel>> openTextFor(const RunConfig& config);

/// Reads, tokenises and splits the rows of `config`; opens the model's tokenizer only where the rows are not tokens
/// already. Rows encoded once are kept in the cache folder. Errors: unreadable files, no usable row, a max_length
/// beyond the model's context.
Result<PreparedData> prepareData(
    const RunConfig& config, const ModelSpec& spec, const Notice& notice, const std::stop_token& stop = {});

} // namespace tunebench
