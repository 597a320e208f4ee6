#include "core/data/records.h"

#include "core/config/choices.h"
#include "core/data/messages.h"
#include "core/data/text_checks.h"

#include <algorithm>
#include <limits>

namespace tunebench {
namespace {

using nlohmann::ordered_json;
template <class T> using Read = tl::expected<T, std::string>;

tl::unexpected<std::string> refuse(std::string reason)
{
    return tl::unexpected(std::move(reason));
}

const ordered_json& column(const ordered_json& row, const char* key)
{
    static const ordered_json null;
    const auto at = row.find(key);
    return at == row.end() ? null : *at;
}

/// A column that must hold text; one that may be absent reads as "" where it is missing or null.
Read<std::string> text(const ordered_json& row, const char* key, bool optional = false)
{
    const ordered_json& value = column(row, key);
    if (value.is_string())
        return value.get_ref<const std::string&>();
    if (!value.is_null())
        return refuse("\"" + std::string(key) + "\" is " + kindOf(value) + ", not text");
    if (optional)
        return std::string();
    return refuse("\"" + std::string(key) + "\" is " + (row.contains(key) ? "null" : "missing"));
}

Read<std::string> answerText(const ordered_json& row, const char* key)
{
    auto answer = text(row, key);
    if (answer && isBlank(*answer))
        return refuse("the answer (\"" + std::string(key) + "\") is empty");
    return answer;
}

Read<ordered_json> toolsOf(const ordered_json& row)
{
    ordered_json tools = column(row, "tools");
    if (tools.is_string()) // datasets often keep the list as JSON in a text column
        tools = isBlank(tools.get_ref<const std::string&>())
            ? ordered_json()
            : ordered_json::parse(tools.get_ref<const std::string&>(), nullptr, false);
    if (tools.is_discarded() || !(tools.is_null() || tools.is_array()))
        return refuse("\"tools\" is not a list, nor the JSON text of one");
    return tools.empty() ? ordered_json() : tools;
}

ordered_json message(const char* role, std::string content)
{
    return { { "role", role }, { "content", std::move(content) } };
}

Read<Record> chat(ordered_json messages, ordered_json tools)
{
    ChatRecord record { std::move(messages), std::move(tools), {}, 0 };
    auto trained = trainedMessages(record.messages);
    if (!trained)
        return refuse(trained.error());
    record.trained = std::move(*trained);
    if (std::find(record.trained.begin(), record.trained.end(), true) == record.trained.end())
        return refuse("it has no assistant turn to learn from");
    return record;
}

/// The turns of alpaca's `history`, [[question, answer], ...], appended to messages.
Read<void> appendHistory(ordered_json& messages, const ordered_json& history)
{
    if (history.is_null())
        return {};
    if (!history.is_array())
        return refuse(std::string("\"history\" is ") + kindOf(history) + ", not a list of [question, answer]");
    for (const auto& pair : history) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            return refuse("\"history\" is not a list of [question, answer]");
        messages.push_back(message("user", pair[0].get<std::string>()));
        messages.push_back(message("assistant", pair[1].get<std::string>()));
    }
    return {};
}

Read<Record> readAlpaca(const ordered_json& row)
{
    auto instruction = text(row, "instruction");
    auto input = text(row, "input", true);
    auto output = answerText(row, "output");
    auto system = text(row, "system", true);
    for (const auto* part : { &instruction, &input, &output, &system }) {
        if (!*part)
            return refuse(part->error());
    }
    if (isBlank(*instruction) && isBlank(*input))
        return refuse("\"instruction\" is empty");
    ordered_json messages = ordered_json::array();
    if (!system->empty())
        messages.push_back(message("system", std::move(*system)));
    if (auto history = appendHistory(messages, column(row, "history")); !history)
        return refuse(history.error());
    messages.push_back(message("user", input->empty() ? *instruction : *instruction + "\n" + *input));
    messages.push_back(message("assistant", std::move(*output)));
    return chat(std::move(messages), {});
}

Read<Record> readSharegpt(const ordered_json& row)
{
    auto messages = messagesOfConversations(column(row, "conversations"));
    auto system = text(row, "system", true);
    auto tools = toolsOf(row);
    if (!messages)
        return refuse(messages.error());
    if (!system)
        return refuse(system.error());
    if (!tools)
        return refuse(tools.error());
    if (!system->empty()) {
        if (!messages->empty() && messages->front()["role"] == "system")
            return refuse("it has a \"system\" column and a system turn as well");
        messages->insert(messages->begin(), message("system", std::move(*system)));
    }
    return chat(std::move(*messages), std::move(*tools));
}

Read<Record> readMessages(const ordered_json& row)
{
    auto messages = checkedMessages(column(row, "messages"), "messages");
    auto tools = toolsOf(row);
    if (!messages)
        return refuse(messages.error());
    if (!tools)
        return refuse(tools.error());
    return chat(std::move(*messages), std::move(*tools));
}

Read<Record> readPromptMessages(const ordered_json& row)
{
    auto prompt = checkedMessages(column(row, "prompt"), "prompt");
    auto completion = checkedMessages(column(row, "completion"), "completion");
    auto tools = toolsOf(row);
    for (const auto* part : { &prompt, &completion, &tools }) {
        if (!*part)
            return refuse(part->error());
    }
    const size_t promptMessages = prompt->size();
    if (promptMessages == 0)
        return refuse("\"prompt\" has no messages");
    for (auto& turn : *completion)
        prompt->push_back(std::move(turn));
    auto record = chat(std::move(*prompt), std::move(*tools));
    if (!record)
        return record;
    auto& trained = std::get<ChatRecord>(*record).trained;
    if (std::find(trained.begin() + static_cast<std::ptrdiff_t>(promptMessages), trained.end(), true) == trained.end())
        return refuse("\"completion\" has no assistant turn to learn from");
    std::get<ChatRecord>(*record).promptMessages = promptMessages;
    return record;
}

Read<Record> readPromptCompletion(const ordered_json& row)
{
    if (column(row, "prompt").is_array() && column(row, "completion").is_array())
        return readPromptMessages(row);
    auto prompt = text(row, "prompt");
    if (!prompt)
        return refuse(prompt.error());
    auto completion = answerText(row, "completion");
    if (!completion)
        return refuse(completion.error());
    return PromptRecord { std::move(*prompt), std::move(*completion) };
}

Read<Record> readText(const ordered_json& row)
{
    auto content = text(row, "text");
    if (!content)
        return refuse(content.error());
    if (isBlank(*content))
        return refuse("\"text\" is empty");
    return TextRecord { std::move(*content) };
}

Read<std::vector<TokenId>> tokenList(const ordered_json& row, const char* key, bool mayIgnore)
{
    const ordered_json& list = column(row, key);
    const std::string name = "\"" + std::string(key) + "\"";
    if (!list.is_array())
        return refuse(name + " is " + (list.is_null() ? "missing" : std::string("a ") + list.type_name())
            + ", not a list of token ids");
    std::vector<TokenId> ids;
    ids.reserve(list.size());
    for (const auto& value : list) {
        const std::string place = name + "[" + std::to_string(ids.size()) + "]";
        if (!value.is_number_integer())
            return refuse(place + " is " + value.dump().substr(0, 40) + ", not a whole number");
        const bool ignored = mayIgnore && value == ignoredLabel;
        if (!ignored && (value < 0 || value > std::numeric_limits<TokenId>::max()))
            return refuse(place + " is " + value.dump() + ", which is no token id");
        ids.push_back(value.get<TokenId>());
    }
    return ids;
}

Read<Record> readTokens(const ordered_json& row)
{
    auto ids = tokenList(row, "input_ids", false);
    if (!ids)
        return refuse(ids.error());
    if (ids->empty())
        return refuse("\"input_ids\" is empty");
    if (column(row, "labels").is_null())
        return TokenRow { *ids, *ids, 0 };
    auto labels = tokenList(row, "labels", true);
    if (!labels)
        return refuse(labels.error());
    if (labels->size() != ids->size())
        return refuse("\"labels\" has " + std::to_string(labels->size()) + " entries, \"input_ids\" "
            + std::to_string(ids->size()));
    return TokenRow { std::move(*ids), std::move(*labels), 0 };
}

} // namespace

Read<Record> readRecord(const ordered_json& row, DatasetFormat format)
{
    if (const auto shown = formatOfRow(row); shown && *shown != format && !hasColumnsOf(row, format))
        return refuse("it is a row of " + std::string(choiceName(*shown)) + ", the dataset is "
            + std::string(choiceName(format)));
    switch (format) {
    case DatasetFormat::alpaca:
        return readAlpaca(row);
    case DatasetFormat::sharegpt:
        return readSharegpt(row);
    case DatasetFormat::messages:
        return readMessages(row);
    case DatasetFormat::promptCompletion:
        return readPromptCompletion(row);
    case DatasetFormat::text:
        return readText(row);
    case DatasetFormat::tokens:
        return readTokens(row);
    case DatasetFormat::automatic:
        break;
    }
    return refuse("its format is not known");
}

} // namespace tunebench
