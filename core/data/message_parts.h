#pragma once

#include "core/data/record_fields.h"

namespace tunebench {

/// Replaces the parts in a message's `content` ([{"type":"text","text":...}, ...]) by one text, `reasoning_content` and
/// `tool_calls`. `place` names the message in reasons.
Read<void> joinParts(nlohmann::ordered_json& message, const std::string& place);

} // namespace tunebench
