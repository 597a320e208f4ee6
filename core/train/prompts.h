#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"
#include "core/runs/metrics.h"
#include "core/text/text_model.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tunebench {

struct Decoder;
struct RunConfig;

/// The most tokens of an answer: some sentences, in which a change of content and manner shows, at the price of about
/// one optimizer step.
inline constexpr int64_t mostAnswerTokens = 128;

/// The prompts of a run (eval_prompts), ready to be answered.
struct Prompts {
    TextModel text;
    std::vector<std::string> prompts;
    std::vector<std::vector<TokenId>> ids; ///< of each prompt

    int64_t longest() const; ///< tokens
};

/// Opens the model's tokenizer and encodes the prompts; null where the options have none. Errors name the prompt: no
/// tokenizer, a template that refuses it, more tokens than the model's context has beside the answer. Those opened last
/// are remembered, since a tokenizer takes some tenths of a second to open and a run is planned many times over.
Result<std::shared_ptr<const Prompts>> openPrompts(const RunConfig& config, const ModelSpec& spec);

/// What the decoder says to one prompt, step and seconds left out. `goOn` is asked before each token; nothing when it
/// said no.
std::optional<AnswerMetrics> answerPrompt(
    const Decoder& decoder, const Prompts& prompts, size_t index, const std::function<bool()>& goOn);

} // namespace tunebench
