#include "core/data/preference_records.h"

#include "core/data/chat_records.h"
#include "core/data/files/text_checks.h"

#include <algorithm>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

ordered_json promptOf(const ordered_json& row)
{
    for (const char* key : { "prompt", "conversations", "messages" }) {
        if (!columnOf(row, key).is_null())
            return turnsOrText(row, key);
    }
    return nullptr;
}

/// As TRL 1.16 (extract_prompt): what both texts begin with, without a space at its end.
std::string sharedStart(const std::string& chosen, const std::string& rejected)
{
    const auto end = std::mismatch(chosen.begin(), chosen.end(), rejected.begin(), rejected.end()).first;
    std::string start(cutToCharacter(chosen, static_cast<size_t>(end - chosen.begin())));
    if (start.ends_with(' '))
        start.pop_back();
    return start;
}

Read<PreferenceRecord> readTexts(const ordered_json& row)
{
    auto chosen = answerOf(row, "chosen");
    auto rejected = answerOf(row, "rejected");
    auto prompt = textOf(row, "prompt", true);
    for (const auto* part : { &chosen, &rejected, &prompt }) {
        if (!*part)
            return refuse(part->error());
    }
    if (*chosen == *rejected)
        return refuse("\"chosen\" and \"rejected\" are the same");
    if (!prompt->empty())
        return PreferenceRecord { PromptRecord { *prompt, *chosen }, PromptRecord { *prompt, *rejected } };
    const std::string start = sharedStart(*chosen, *rejected);
    return PreferenceRecord { PromptRecord { start, chosen->substr(start.size()) },
        PromptRecord { start, rejected->substr(start.size()) } };
}

/// One turn, a list of turns, or the text of an answer, as a list of turns.
Read<ordered_json> answerTurns(const ordered_json& row, const char* key)
{
    ordered_json value = turnsOrText(row, key);
    if (value.is_null())
        return refuse("\"" + std::string(key) + "\" is " + (row.contains(key) ? "null" : "missing"));
    if (value.is_string())
        value = ordered_json { { "role", "assistant" }, { "content", std::move(value) } };
    if (value.is_object())
        value = ordered_json::array({ std::move(value) });
    return turnsOf(value, key);
}

Read<ordered_json> promptTurns(const ordered_json& row)
{
    ordered_json value = promptOf(row);
    if (value.is_null())
        return ordered_json::array();
    if (value.is_string())
        value = ordered_json::array({ ordered_json { { "role", "user" }, { "content", std::move(value) } } });
    return turnsOf(value, "prompt");
}

/// The turns of a pair: the prompt, the two answers, and what both begin with.
struct PairTurns {
    ordered_json prompt, chosen, rejected;
    size_t shared = 0;
};

/// One side of the pair. Files often repeat the prompt in both answers; then it counts once.
Read<ChatRecord> conversation(
    const PairTurns& pair, const ordered_json& answer, const std::string& system, const ordered_json& tools)
{
    const bool repeats = pair.shared > 0 && (pair.prompt.empty() || pair.prompt.front() == answer.front());
    ordered_json messages = repeats ? ordered_json::array() : pair.prompt;
    size_t promptMessages = repeats ? pair.shared : pair.prompt.size();
    messages.insert(messages.end(), answer.begin(), answer.end());
    if (!system.empty() && messages.front()["role"] != "system") {
        messages.insert(messages.begin(), ordered_json { { "role", "system" }, { "content", system } });
        ++promptMessages;
    }
    if (promptMessages == 0)
        return refuse("it has answers, but no prompt");
    return chatOf(std::move(messages), tools, promptMessages);
}

Read<PreferenceRecord> readTurns(const ordered_json& row)
{
    auto prompt = promptTurns(row);
    auto chosen = answerTurns(row, "chosen");
    auto rejected = answerTurns(row, "rejected");
    auto tools = toolsOf(row);
    for (const auto* part : { &prompt, &chosen, &rejected, &tools }) {
        if (!*part)
            return refuse(part->error());
    }
    const auto system = textOf(row, "system", true);
    if (!system)
        return refuse(system.error());
    if (chosen->empty() || rejected->empty() || *chosen == *rejected)
        return refuse(*chosen == *rejected ? "\"chosen\" and \"rejected\" are the same" : "an answer has no turns");
    PairTurns pair { std::move(*prompt), std::move(*chosen), std::move(*rejected) };
    while (pair.shared < std::min(pair.chosen.size(), pair.rejected.size())
        && pair.chosen[pair.shared] == pair.rejected[pair.shared])
        ++pair.shared;
    auto good = conversation(pair, pair.chosen, *system, *tools);
    auto bad = conversation(pair, pair.rejected, *system, *tools);
    if (!good)
        return refuse("chosen: " + good.error());
    if (!bad)
        return refuse("rejected: " + bad.error());
    return PreferenceRecord { std::move(*good), std::move(*bad) };
}

} // namespace

Read<PreferenceRecord> readPreference(const ordered_json& row)
{
    const auto isText = [&](const char* key) { return !turnsOrText(row, key).is_structured(); };
    const ordered_json prompt = promptOf(row);
    const bool plain = isText("chosen") && isText("rejected") && (prompt.is_null() || prompt.is_string());
    return plain ? readTexts(row) : readTurns(row);
}

} // namespace tunebench
