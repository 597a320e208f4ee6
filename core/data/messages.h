#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tunebench {

/// Checks a list of {role, content, ...} and brings it to what templates expect: content as one text (parts of text are
/// joined), keys that are null left out. `column` names the list in reasons.
tl::expected<nlohmann::ordered_json, std::string> checkedMessages(
    const nlohmann::ordered_json& list, const std::string& column);

/// ShareGPT's {from, value} turns as messages. Tool turns and unknown speakers are refused by name.
tl::expected<nlohmann::ordered_json, std::string> messagesOfConversations(const nlohmann::ordered_json& list);

/// Which messages the row teaches: the assistant's, unless "weight" or "loss_weight" is 0. An empty answer, or a
/// weight other than 0 and 1, is a reason to refuse the row.
tl::expected<std::vector<bool>, std::string> trainedMessages(const nlohmann::ordered_json& messages);

} // namespace tunebench
