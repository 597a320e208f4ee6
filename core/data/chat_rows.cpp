#include "core/data/chat_rows.h"

#include "core/data/conversation.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

void addSpan(std::vector<ByteSpan>& spans, ByteSpan span)
{
    if (span.begin == span.end)
        return;
    if (!spans.empty() && spans.back().end >= span.begin)
        spans.back().end = std::max(spans.back().end, span.end);
    else
        spans.push_back(span);
}

bool mentions(const ChatTemplate& chatTemplate, std::string_view name)
{
    return chatTemplate.source().find(name) != std::string::npos;
}

/// The roles that every template is asked about; what others become is the template's own idea.
bool isUsualRole(const ordered_json& role)
{
    constexpr std::array usual { "user", "assistant", "system", "tool" };
    return std::find(usual.begin(), usual.end(), role) != usual.end();
}

bool has(const ordered_json& message, const char* key)
{
    const auto at = message.find(key);
    return at != message.end() && !at->empty() && !(at->is_string() && isBlank(at->get_ref<const std::string&>()));
}

/// The message's text without the white space around it, which templates may trim.
std::string_view trimmedContent(const ordered_json& message)
{
    constexpr const char* space = " \t\r\n";
    const auto content = message.find("content");
    if (content == message.end() || !content->is_string())
        return {};
    std::string_view text = content->get_ref<const std::string&>();
    const size_t first = text.find_first_not_of(space);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Whether the template writes something of every turn: some pass over roles that they do not know.
Read<void> checkNothingDropped(
    const ChatRecord& record, const ChatTemplate& chatTemplate, Conversation& conversation, const std::string& whole)
{
    for (size_t i = 0; i < record.messages.size(); ++i) {
        const ordered_json& message = record.messages[i];
        const std::string turn = "turn " + std::to_string(i + 1);
        if (has(message, "tool_calls") && !mentions(chatTemplate, "tool_calls"))
            return refuse("the chat template does not write tool calls (" + turn + ")");
        const std::string_view content = trimmedContent(message);
        if (content.empty() || (isUsualRole(message["role"]) && whole.find(content) != std::string::npos))
            continue;
        const auto before = conversation.render(i, false);
        const auto with = conversation.render(i + 1, false);
        if (before && with && before->text == with->text)
            return refuse("the chat template writes nothing of " + turn + " (role "
                + message["role"].get<std::string>().substr(0, 40) + ")");
    }
    return {};
}

RowNotes notesOf(const ChatRecord& record, const ChatTemplate& chatTemplate)
{
    RowNotes notes;
    for (const ordered_json& message : record.messages) {
        const auto& role = message["role"].get_ref<const std::string&>();
        if (notes.unknownRole.empty() && !isUsualRole(role) && !mentions(chatTemplate, role))
            notes.unknownRole = cutToCharacter(role, 40);
    }
    notes.hiddenTools = !record.tools.empty() && !mentions(chatTemplate, "tools");
    notes.hiddenReasoning = !mentions(chatTemplate, "reasoning_content")
        && std::any_of(record.messages.begin(), record.messages.end(),
            [](const ordered_json& message) { return has(message, "reasoning_content"); });
    return notes;
}

/// Bytes of answers that are marked, but not to be trained.
Read<std::vector<ByteSpan>> untrainedBytes(const ChatRecord& record, Conversation& conversation, std::string_view text)
{
    std::vector<ByteSpan> bytes;
    for (size_t i = 0; i < record.messages.size(); ++i) {
        if (record.messages[i]["role"] != "assistant" || record.trained[i])
            continue;
        const auto added = addedBy(conversation, i, i + 1);
        if (!added)
            return refuse(added.error());
        if (!text.starts_with(added->whole))
            return refuse("it leaves out turn " + std::to_string(i + 1)
                + " by its weight, but the chat template writes that otherwise once later turns follow");
        bytes.push_back(added->span);
    }
    return bytes;
}

/// The spans that `generation` blocks mark, without those of turns that are not to be trained. The token that ends the
/// answer is learned even where the block ends before it; else the model would never stop.
Read<std::vector<ByteSpan>> markedSpans(
    const ChatRecord& record, const TextModel& text, Conversation& conversation, const RenderedChat& rendered)
{
    const auto untrained = untrainedBytes(record, conversation, rendered.text);
    if (!untrained)
        return refuse(untrained.error());
    const auto& variables = text.templateVariables;
    const std::string end
        = variables.is_object() && variables.contains("eos_token") && variables["eos_token"].is_string()
        ? variables["eos_token"].get<std::string>()
        : "";
    std::vector<ByteSpan> spans;
    for (ByteSpan span : rendered.generation) {
        const bool isTrained = std::none_of(untrained->begin(), untrained->end(),
            [&](const ByteSpan& out) { return span.begin < out.end && out.begin < span.end; });
        if (!isTrained)
            continue;
        if (rendered.text.compare(span.end, end.size(), end) == 0)
            span.end += end.size();
        addSpan(spans, span);
    }
    if (spans.empty())
        return refuse("the chat template marks nothing in it as written by the assistant");
    return spans;
}

/// Supervised spans of a template without marks.
Read<void> addTrainedTurns(RenderedRow& row, const ChatRecord& record, Conversation& conversation)
{
    std::string& problem = row.notes.untrainedReason;
    for (size_t i = 0; i < record.messages.size(); ++i) {
        if (!record.trained[i])
            continue;
        auto added = addedBy(conversation, i, i + 1);
        if (added && row.text.starts_with(added->whole)) {
            addSpan(row.supervised, added->span);
            continue;
        }
        ++row.notes.untrainedAnswers;
        if (problem.empty())
            problem = !added ? added.error()
                             : "the chat template writes turn " + std::to_string(i + 1)
                    + " otherwise once later turns follow, so its answer cannot be told apart";
    }
    if (row.supervised.empty())
        return refuse(problem);
    return {};
}

Read<void> addCompletion(RenderedRow& row, const ChatRecord& record, Conversation& conversation)
{
    auto added = addedBy(conversation, record.promptMessages, record.messages.size());
    if (!added)
        return refuse(added.error());
    addSpan(row.supervised, added->span);
    return {};
}

} // namespace

Read<RenderedRow> renderChat(const ChatRecord& record, const TextModel& text, LossOn lossOn, const std::string& now)
{
    const ChatTemplate* const chatTemplate = text.templateFor(!record.tools.is_null());
    if (chatTemplate == nullptr)
        return refuse("it is a chat, and the model has no chat template");
    Conversation conversation(record, *chatTemplate, text.templateVariables, now);
    auto whole = conversation.render(record.messages.size(), false);
    if (!whole)
        return refuse(whole.error());
    if (auto checked = checkNothingDropped(record, *chatTemplate, conversation, whole->text); !checked)
        return refuse(checked.error());
    RenderedRow row { whole->text, {}, notesOf(record, *chatTemplate) };
    Read<void> done;
    if (lossOn == LossOn::all) {
        addSpan(row.supervised, { 0, row.text.size() });
    } else if (record.promptMessages > 0) {
        done = addCompletion(row, record, conversation);
    } else if (chatTemplate->marksGeneration()) {
        auto spans = markedSpans(record, text, conversation, *whole);
        if (!spans)
            return refuse(spans.error());
        row.supervised = std::move(*spans);
    } else {
        done = addTrainedTurns(row, record, conversation);
    }
    if (!done)
        return refuse(done.error());
    return row;
}

} // namespace tunebench
