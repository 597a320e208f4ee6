#pragma once

#include "core/data/record_fields.h"
#include "core/data/records.h"
#include "core/text/text_model.h"

namespace tunebench {

/// Renders growing starts of one conversation; the record, the template and the date must outlive it.
class Conversation {
public:
    Conversation(const ChatRecord& record, const ChatTemplate& chatTemplate,
        const nlohmann::ordered_json& templateVariables, const std::string& now);

    /// The first `count` messages.
    Read<RenderedChat> render(size_t count, bool generationPrompt);

private:
    const ChatRecord& m_record;
    const ChatTemplate& m_template;
    const std::string& m_now;
    nlohmann::ordered_json m_variables;
};

/// The bytes that messages [begin, end) add to the render of those before them with the generation prompt.
struct Addition {
    std::string whole; ///< the render up to and including them
    ByteSpan span;
};

/// An error where the template refuses one of the renders, or writes the turns before otherwise once these follow.
Read<Addition> addedBy(Conversation& conversation, size_t begin, size_t end);

} // namespace tunebench
