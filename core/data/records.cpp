#include "core/data/records.h"

#include "core/config/choices.h"
#include "core/data/chat_records.h"
#include "core/data/files/text_checks.h"
#include "core/data/preference_records.h"

#include <limits>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

Read<Record> readPromptCompletion(const ordered_json& row)
{
    if (turnsOrText(row, "prompt").is_array() && turnsOrText(row, "completion").is_structured())
        return readPromptMessages(row);
    auto prompt = textOf(row, "prompt");
    if (!prompt)
        return refuse(prompt.error());
    auto completion = answerOf(row, "completion");
    if (!completion)
        return refuse(completion.error());
    return PromptRecord { std::move(*prompt), std::move(*completion) };
}

Read<Record> readText(const ordered_json& row)
{
    auto content = textOf(row, "text");
    if (!content)
        return refuse(content.error());
    if (isBlank(*content))
        return refuse("\"text\" is empty");
    return TextRecord { std::move(*content) };
}

Read<std::vector<TokenId>> tokenList(const ordered_json& row, const char* key, bool mayIgnore)
{
    const ordered_json list = structureOf(row, key);
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
    if (columnOf(row, "labels").is_null())
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

Read<Record> readRecord(ordered_json row, DatasetFormat format, const ColumnMap& map)
{
    renameColumns(row, map);
    if (!hasColumnsOf(row, format)) {
        if (const auto shown = formatOfRow(row); shown && *shown != format)
            return refuse("it is a row of " + std::string(choiceName(*shown)) + ", the dataset is "
                + std::string(choiceName(format)));
    }
    useFormatNames(row, format);
    switch (format) {
    case DatasetFormat::alpaca:
        return readAlpaca(row);
    case DatasetFormat::sharegpt:
        return readSharegpt(row);
    case DatasetFormat::messages:
        return readMessages(row);
    case DatasetFormat::promptCompletion:
        return readPromptCompletion(row);
    case DatasetFormat::questionAnswer:
        return readQuestionAnswer(row);
    case DatasetFormat::text:
        return readText(row);
    case DatasetFormat::tokens:
        return readTokens(row);
    case DatasetFormat::preference:
        return readPreference(row);
    case DatasetFormat::automatic:
        break;
    }
    return refuse("its format is not known");
}

} // namespace tunebench
