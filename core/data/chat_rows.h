#pragma once

#include "core/data/record_fields.h"
#include "core/data/records.h"
#include "core/text/text_model.h"

namespace tunebench {

/// What of a row the chat template leaves out of what is trained.
struct RowNotes {
    uint32_t untrainedAnswers = 0; ///< that the template writes otherwise once later turns follow, say
    std::string untrainedReason; ///< of the first of them
    std::string unknownRole; ///< the first that the template does not name; empty: none
    bool hiddenReasoning = false; ///< an answer's reasoning, for which the template has no place
    bool hiddenTools = false; ///< the list of tools, likewise
    bool decomposedKorean = false; ///< it holds syllables as conjoining letters (NFD)
};

/// A conversation as the template writes it, and the bytes of it that are to be learned.
struct RenderedRow {
    std::string text;
    std::vector<ByteSpan> supervised; ///< in order, apart from each other
    RowNotes notes;
};

/// Renders a conversation by the model's template with the variables that transformers gives it.
/// Supervised is, for a trained turn, what the render up to and including it adds beyond the render of the turns before
/// it with the generation prompt; where the template marks what the assistant generates, that, with an end-of-text
/// token that follows at once; of a prompt/completion row the whole completion. `now` is the ISO date that the template
/// sees.
///
/// A template may write an earlier answer otherwise once later turns follow (Qwen3 drops its thoughts): the answer as
/// it stands then is not what the model would say in its place, so it is not trained, and counted; so is a first turn
/// of the assistant whose beginning cannot be told. A row of which nothing is left, or of which the template writes
/// nothing of some turn, is refused.
Read<RenderedRow> renderChat(const ChatRecord& record, const TextModel& text, LossOn lossOn, const std::string& now);

} // namespace tunebench
