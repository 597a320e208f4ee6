#pragma once

#include "core/data/record_fields.h"
#include "core/text/text_model.h"

#include <string>
#include <vector>

namespace tunebench {

/// The tokens of a prompt for the model to answer: the user's turn as the model's chat template writes it, with the
/// generation prompt; of a model without a template, the text with the special tokens that the tokenizer puts in front.
/// `today` is the ISO date that the template sees. Refused where the template refuses it, or nothing is left.
Read<std::vector<TokenId>> promptIds(const std::string& prompt, const TextModel& text, const std::string& today);

} // namespace tunebench
