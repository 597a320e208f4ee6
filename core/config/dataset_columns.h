#pragma once

#include <array>
#include <string_view>

namespace tunebench {

/// The names of all columns that the dataset formats read; keys of `dataset_columns`.
inline constexpr std::array<std::string_view, 17> datasetColumnNames { "instruction", "input", "output", "system",
    "history", "conversations", "messages", "tools", "prompt", "completion", "question", "answer", "text", "input_ids",
    "labels", "chosen", "rejected" };

} // namespace tunebench
