#pragma once

#include "core/data/record_fields.h"

#include <vector>

namespace tunebench {

/// Checks a list of {role, content, ...} and brings it to what templates expect; `column` names the list in reasons.
///  - Content is one text: parts {type: "text", "text" or "value"} are joined; parts of reasoning become
///    `reasoning_content`, parts of tool_call become `tool_calls`.
///  - Tool calls have their arguments as an object. A turn of a role that files use for calls (function_call) is the
///    assistant's, one for results (observation) is the tool's; human and gpt are the user and the assistant.
///  - Keys that are null are left out; all others reach the template as they are.
Read<nlohmann::ordered_json> checkedMessages(const nlohmann::ordered_json& list, const std::string& column);

/// ShareGPT's {from, value} turns as messages, roles as above. Unknown speakers are refused by name.
Read<nlohmann::ordered_json> messagesOfConversations(const nlohmann::ordered_json& list, const std::string& column);

/// Which messages the row teaches: the assistant's, unless "weight" or "loss_weight" is 0. An empty answer that is to
/// be learned, or a weight other than 0 and 1, is a reason to refuse the row.
Read<std::vector<bool>> trainedMessages(const nlohmann::ordered_json& messages);

} // namespace tunebench
