#pragma once

#include "core/data/record_fields.h"
#include "core/data/records.h"

namespace tunebench {

// Rows that are conversations; each reader is given a row of its format, with our column names.
Read<ChatRecord> readAlpaca(const nlohmann::ordered_json& row);
Read<ChatRecord> readSharegpt(const nlohmann::ordered_json& row);
Read<ChatRecord> readMessages(const nlohmann::ordered_json& row);
Read<ChatRecord> readQuestionAnswer(const nlohmann::ordered_json& row);
Read<ChatRecord> readPromptMessages(const nlohmann::ordered_json& row);

/// Turns as messages, whichever way they are written: {role, content} or {from, value}.
Read<nlohmann::ordered_json> turnsOf(const nlohmann::ordered_json& list, const std::string& column);

/// A conversation whose answers from the message `promptMessages` on are to be learned; one that has none is refused.
Read<ChatRecord> chatOf(nlohmann::ordered_json messages, nlohmann::ordered_json tools, size_t promptMessages = 0);

} // namespace tunebench
