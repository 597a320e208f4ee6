#include "core/data/prompt_ids.h"

#include "core/data/conversation.h"
#include "core/data/row_encoder.h"

namespace tunebench {
namespace {

/// A tokenizer may end every text with its end token, after which a model has nothing to say.
std::vector<TokenId> plainIds(const std::string& prompt, const TextModel& text)
{
    auto ids = encodePlain(text, prompt);
    if (ids.size() > 1 && text.eos && ids.back() == *text.eos
        && !prompt.ends_with(text.tokenizer.tokenOf(*text.eos).value_or("")))
        ids.pop_back();
    return ids;
}

} // namespace

Read<std::vector<TokenId>> promptIds(const std::string& prompt, const TextModel& text, const std::string& today)
{
    std::vector<TokenId> ids;
    if (const ChatTemplate* const chatTemplate = text.templateFor(false)) {
        ChatRecord chat;
        chat.messages.push_back({ { "role", "user" }, { "content", prompt } });
        const auto rendered = Conversation(chat, *chatTemplate, text.templateVariables, today).render(1, true);
        if (!rendered)
            return refuse(rendered.error());
        ids = text.tokenizer.encode(rendered->text, false); // the template has written the special tokens already
    } else {
        ids = plainIds(prompt, text);
    }
    if (ids.empty())
        return refuse("the tokenizer makes nothing of it");
    return ids;
}

} // namespace tunebench
