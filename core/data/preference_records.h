#pragma once

#include "core/data/record_fields.h"
#include "core/data/records.h"

namespace tunebench {

/// A pair of answers to one prompt: texts, with `prompt` or with what both begin with as the prompt; or turns (one or a
/// list), after the turns in `prompt`, `conversations` or `messages`, or after the turns that both begin with.
Read<PreferenceRecord> readPreference(const nlohmann::ordered_json& row);

} // namespace tunebench
