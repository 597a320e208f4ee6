#pragma once

#include "core/data/records.h"
#include "core/text/text_model.h"

namespace tunebench {

/// A conversation as the template writes it, and the bytes of it that are to be learned.
struct RenderedRow {
    std::string text;
    std::vector<ByteSpan> supervised; ///< in order, apart from each other
};

/// Renders a conversation by the model's template (which must be there) with the variables that transformers gives it.
/// Supervised is, for a trained turn, what the render up to and including it adds beyond the render of the turns before
/// it with the generation prompt; where the template marks what the assistant generates, that; of a prompt/completion
/// row the whole completion. `now` is the ISO date that the template sees. A template that writes earlier turns
/// otherwise once later ones follow cannot tell where an answer stands: such a row is refused.
tl::expected<RenderedRow, std::string> renderChat(
    const ChatRecord& record, const TextModel& text, LossOn lossOn, const std::string& now);

} // namespace tunebench
