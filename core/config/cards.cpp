#include "core/config/cards.h"

#include "core/config/number_text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace tunebench {

/// resources/cards.json, as the build has put it into the program.
extern const std::string_view cardsJson;

namespace {

std::vector<Card> readCards()
{
    constexpr double giga = 1e9;
    std::vector<Card> list;
    for (const auto& entry : nlohmann::json::parse(cardsJson))
        list.push_back({ .name = entry.at("name"),
            .memory = entry.at("memory"),
            .usable = entry.at("usable"),
            .computeCapability = entry.at("compute_capability"),
            .tensorCores = entry.at("tensor_cores"),
            .bf16 = entry.at("bf16"),
            .bytesPerSecond = giga * entry.at("gigabytes_per_second").get<double>(),
            .fp32Flops = giga * entry.at("gigaflops").at("fp32").get<double>(),
            .fp16Flops = giga * entry.at("gigaflops").at("fp16").get<double>() });
    return list;
}

/// Small letters and digits alone, without the maker's names in front.
std::string plainName(std::string_view name)
{
    std::string plain;
    for (const char c : name) {
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
            plain += c;
        else if (c >= 'A' && c <= 'Z')
            plain += static_cast<char>(c - 'A' + 'a');
    }
    for (const std::string_view maker : { "nvidia", "geforce", "tesla" }) {
        if (plain.starts_with(maker))
            plain.erase(0, maker.size());
    }
    return plain;
}

struct Unit {
    std::string_view name;
    double bytes;
};

constexpr std::array units { Unit { "GiB", 1073741824 }, Unit { "MiB", 1048576 }, Unit { "KiB", 1024 },
    Unit { "GB", 1e9 }, Unit { "MB", 1e6 }, Unit { "B", 1 } };

std::optional<int64_t> amountOf(std::string_view text)
{
    double unitBytes = 1;
    text = trimmed(text);
    for (const Unit& unit : units) {
        if (text.ends_with(unit.name)) {
            unitBytes = unit.bytes;
            text = trimmed(text.substr(0, text.size() - unit.name.size()));
            break;
        }
    }
    constexpr double most = 1e15;
    const auto number = parseReal(text);
    if (!number || *number <= 0 || *number * unitBytes > most)
        return std::nullopt;
    return static_cast<int64_t>(*number * unitBytes);
}

} // namespace

std::optional<int> cudaNumber(std::string_view device)
{
    constexpr std::string_view cuda = "cuda:";
    if (device == "cuda")
        return 0;
    const auto number = device.starts_with(cuda) ? parseInteger(device.substr(cuda.size())) : std::nullopt;
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::span<const Card> cards()
{
    static const std::vector<Card> list = readCards();
    return list;
}

const Card* findCard(std::string_view name)
{
    const std::string plain = plainName(name);
    const Card* longest = nullptr;
    for (const Card& card : cards()) {
        const std::string own = plainName(card.name);
        if (plain.starts_with(own) && (!longest || own.size() > plainName(longest->name).size()))
            longest = &card;
    }
    return longest;
}

const Card* namedCard(const RunConfig& config)
{
    return config.card && cudaNumber(config.device) ? findCard(*config.card) : nullptr;
}

ConfigChoice asOnItsCard(ConfigChoice choice)
{
    if (choice.values.card && findCard(*choice.values.card) && !choice.set.contains("device"))
        choice.values.device = "cuda:0";
    return choice;
}

Result<int64_t> cardBytes(std::string_view nameOrBytes)
{
    const auto card
        = std::ranges::find(cards(), plainName(nameOrBytes), [](const Card& one) { return plainName(one.name); });
    if (card != cards().end())
        return card->usable;
    if (const auto bytes = amountOf(nameOrBytes))
        return *bytes;
    std::string names;
    for (const Card& one : cards())
        names += (names.empty() ? "" : ", ") + one.name;
    return failure("There is no card \"" + std::string(nameOrBytes.substr(0, 60)) + "\" in the list (" + names
        + "); an amount such as \"6 GiB\" serves as well.");
}

int64_t limitBytes(const RunConfig& config)
{
    const int64_t card = config.card ? cardBytes(*config.card).value_or(0) : 0;
    if (config.memoryLimit == 0 || card == 0)
        return std::max(config.memoryLimit, card);
    return std::min(config.memoryLimit, card);
}

} // namespace tunebench
