#pragma once

#include "core/data/dataset.h"
#include "core/data/row_formats.h"

#include <nlohmann/json.hpp>
#include <string>
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

/// Two answers to one prompt, of which the first is the better; both are of the same kind.
struct PreferenceRecord {
    std::variant<ChatRecord, PromptRecord> chosen, rejected;
};

/// What a row says, checked, whatever its format was. Rows of tokens are there already.
using Record = std::variant<ChatRecord, PromptRecord, TextRecord, TokenRow, PreferenceRecord>;

/// Reads a row of the format; the reason why it cannot be used names the column. Columns are taken by the map first,
/// then by our name, then by another usual one. A cell may hold a list as JSON text.
///  - alpaca: instruction, output; input, system, history ([[question, answer], ...]) where they are: a user turn
///    (instruction, or instruction + newline + input) and an assistant turn.
///  - sharegpt: conversations of {from, value}; system and tools where they are.
///  - messages: {role, content, ...}, see checkedMessages; tools where they are.
///  - prompt_completion: two texts or two lists of messages (a completion of one turn may stand alone).
///  - question_answer: a user turn and an assistant turn; system where it is.
///  - text: text.  - tokens: input_ids, and labels or none.  - preference: see readPreference.
tl::expected<Record, std::string> readRecord(
    nlohmann::ordered_json row, DatasetFormat format, const ColumnMap& map = {});

} // namespace tunebench
