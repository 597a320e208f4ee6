#pragma once

#include "core/data/dataset.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tunebench {

/// A conversation as the template sees it.
struct ChatRecord {
    nlohmann::ordered_json messages; ///< list of {role, content, ...}
    nlohmann::ordered_json tools; ///< list, or null
    std::vector<bool> trained; ///< for each message: the assistant's, and not marked with weight 0
    size_t promptMessages = 0; ///< of a prompt/completion row: the messages of the prompt; 0 for other rows
};

/// Plain prompt and completion, which no template touches.
struct PromptRecord {
    std::string prompt;
    std::string completion;
};

struct TextRecord {
    std::string text;
};

/// What a row says, checked, whatever its format was. Rows of tokens are there already.
using Record = std::variant<ChatRecord, PromptRecord, TextRecord, TokenRow>;

/// The format that the row's columns show, or nothing. Columns that are null count only where no others tell.
std::optional<DatasetFormat> formatOfRow(const nlohmann::ordered_json& row);

/// True when the row has a column for each that the format needs, null or not.
bool hasColumnsOf(const nlohmann::ordered_json& row, DatasetFormat format);

/// Which columns each format needs, for messages: "instruction and output (alpaca), ...".
std::string neededColumns();

/// Reads a row of the format; the reason why it cannot be used names the column.
///  - alpaca: instruction, output; input, system, history ([[question, answer], ...]) where they are: a user turn
///    (instruction, or instruction + newline + input) and an assistant turn.
///  - sharegpt: conversations of {from, value}; system and tools where they are.
///  - messages: {role, content}; content is text or a list of {"type":"text","text":...} (or "value"), joined. Other
///    keys of a message reach the template as they are, null ones are left out. A turn with weight or loss_weight 0
///    is not trained.
///  - prompt_completion: two texts or two lists of messages.
///  - text: text.  - tokens: input_ids, and labels or none.
tl::expected<Record, std::string> readRecord(const nlohmann::ordered_json& row, DatasetFormat format);

} // namespace tunebench
