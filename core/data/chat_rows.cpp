#include "core/data/chat_rows.h"

#include "core/data/text_checks.h"

#include <algorithm>

namespace tunebench {
namespace {

using nlohmann::ordered_json;
template <class T> using Read = tl::expected<T, std::string>;

tl::unexpected<std::string> refuse(std::string reason)
{
    return tl::unexpected(std::move(reason));
}

/// Renders growing starts of one conversation.
class Conversation {
public:
    Conversation(const ChatRecord& record, const TextModel& text, const std::string& now)
        : m_record(record)
        , m_template(*text.chatTemplate)
        , m_now(now)
        , m_variables(text.templateVariables)
    {
        if (!m_variables.is_object())
            m_variables = ordered_json::object();
        m_variables["messages"] = ordered_json::array();
        m_variables["tools"] = record.tools;
        m_variables["documents"] = nullptr;
    }

    /// The first `count` messages; counts must not fall from call to call.
    Read<RenderedChat> render(size_t count, bool generationPrompt)
    {
        ordered_json& messages = m_variables["messages"];
        while (messages.size() < count)
            messages.push_back(m_record.messages[messages.size()]);
        m_variables["add_generation_prompt"] = generationPrompt;
        auto rendered = m_template.render(m_variables, m_now);
        if (!rendered)
            return refuse(
                "the chat template refuses it: " + std::string(cutToCharacter(rendered.error().message, 300)));
        return std::move(*rendered);
    }

private:
    const ChatRecord& m_record;
    const ChatTemplate& m_template;
    const std::string& m_now;
    ordered_json m_variables;
};

void addSpan(std::vector<ByteSpan>& spans, ByteSpan span)
{
    if (span.begin == span.end)
        return;
    if (!spans.empty() && spans.back().end >= span.begin)
        spans.back().end = std::max(spans.back().end, span.end);
    else
        spans.push_back(span);
}

/// The bytes that messages [begin, end) add to the render of those before them with the generation prompt.
struct Addition {
    std::string whole; ///< the render up to and including them
    ByteSpan span;
};

Read<Addition> addedBy(Conversation& conversation, size_t begin, size_t end)
{
    auto before = conversation.render(begin, true);
    if (!before)
        return refuse(begin > 0
                ? before.error()
                : "it begins with an assistant turn, before which this chat template can write nothing");
    auto whole = conversation.render(end, false);
    if (!whole)
        return refuse(whole.error());
    if (!whole->text.starts_with(before->text))
        return refuse("the chat template writes the turns before turn " + std::to_string(begin + 1)
            + " otherwise once it follows, so where the answer begins cannot be told");
    const ByteSpan span { before->text.size(), whole->text.size() };
    return Addition { std::move(whole->text), span };
}

/// The spans that `generation` blocks mark, without those of turns that are not to be trained.
Read<std::vector<ByteSpan>> markedSpans(const ChatRecord& record, const std::vector<ByteSpan>& marked)
{
    std::vector<bool> answers; // of each assistant turn: trained or not
    for (size_t i = 0; i < record.messages.size(); ++i) {
        if (record.messages[i]["role"] == "assistant")
            answers.push_back(record.trained[i]);
    }
    const bool all = std::find(answers.begin(), answers.end(), false) == answers.end();
    if (!all && marked.size() != answers.size())
        return refuse("it leaves out an answer by its weight, but the chat template does not mark each answer once");
    std::vector<ByteSpan> spans;
    for (size_t i = 0; i < marked.size(); ++i) {
        if (all || answers[i])
            addSpan(spans, marked[i]);
    }
    if (spans.empty())
        return refuse("the chat template marks nothing in it as written by the assistant");
    return spans;
}

/// Supervised spans of a template without marks.
Read<std::vector<ByteSpan>> addedSpans(const ChatRecord& record, Conversation conversation, std::string_view text)
{
    std::vector<ByteSpan> spans;
    for (size_t i = 0; i < record.messages.size(); ++i) {
        if (!record.trained[i])
            continue;
        auto added = addedBy(conversation, i, i + 1);
        if (!added)
            return refuse(added.error());
        if (!text.starts_with(added->whole))
            return refuse("the chat template writes turn " + std::to_string(i + 1)
                + " otherwise once later turns follow, so its answer cannot be told apart");
        addSpan(spans, added->span);
    }
    return spans;
}

} // namespace

Read<RenderedRow> renderChat(const ChatRecord& record, const TextModel& text, LossOn lossOn, const std::string& now)
{
    auto whole = Conversation(record, text, now).render(record.messages.size(), false);
    if (!whole)
        return refuse(whole.error());
    RenderedRow row { std::move(whole->text), {} };
    if (lossOn == LossOn::all) {
        addSpan(row.supervised, { 0, row.text.size() });
        return row;
    }
    if (record.promptMessages > 0) {
        Conversation conversation(record, text, now);
        auto added = addedBy(conversation, record.promptMessages, record.messages.size());
        if (!added)
            return refuse(added.error());
        addSpan(row.supervised, added->span);
        return row;
    }
    auto spans = text.chatTemplate->marksGeneration() ? markedSpans(record, whole->generation)
                                                      : addedSpans(record, Conversation(record, text, now), row.text);
    if (!spans)
        return refuse(spans.error());
    row.supervised = std::move(*spans);
    return row;
}

} // namespace tunebench
