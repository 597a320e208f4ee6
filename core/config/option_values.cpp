#include "core/config/number_text.h"
#include "core/config/option_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

using nlohmann::json;

template <class... Cases> struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

std::string shown(const json& value)
{
    if (value.is_structured()) { // may be nested deeper than a recursive dump can go
        return value.is_array() ? "a list" : "an object";
    }
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    constexpr size_t longest = 80;
    if (text.size() > longest) {
        size_t end = longest;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
            --end;
        }
        text = text.substr(0, end) + "...";
    }
    return text;
}

tl::unexpected<Error> refused(const Option& option, const json& value)
{
    return failure(option.key + " must be " + allowedValues(option) + ", not " + shown(value) + ".");
}

bool inRange(const Option& option, double value)
{
    if (option.least && (option.leastExclusive ? value <= *option.least : value < *option.least)) {
        return false;
    }
    return !option.most || (option.mostExclusive ? value < *option.most : value <= *option.most);
}

std::optional<int64_t> integerFrom(const json& value)
{
    if (value.is_string()) {
        return parseInteger(value.get_ref<const std::string&>());
    }
    if (value.is_number_unsigned()) {
        const auto number = value.get<uint64_t>();
        return number <= INT64_MAX ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
    }
    if (value.is_number_integer()) {
        return value.get<int64_t>();
    }
    return value.is_number_float() ? exactInteger(value.get<double>()) : std::nullopt;
}

std::optional<double> realFrom(const json& value)
{
    if (value.is_string()) {
        return parseReal(value.get_ref<const std::string&>());
    }
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<bool> booleanFrom(const json& value)
{
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (!value.is_string()) {
        return std::nullopt;
    }
    const std::string_view text = trimmed(value.get_ref<const std::string&>());
    if (text == "true" || text == "True") {
        return true;
    }
    return text == "false" || text == "False" ? std::optional(false) : std::nullopt;
}

std::optional<std::string> textFrom(const json& value)
{
    if (!value.is_string() || value.get_ref<const std::string&>().find('\0') != std::string::npos) {
        return std::nullopt;
    }
    return value.get<std::string>();
}

json splitAtCommas(std::string_view text)
{
    json parts = json::array();
    while (!trimmed(text).empty()) {
        const size_t comma = text.find(',');
        parts.push_back(std::string(trimmed(text.substr(0, comma))));
        if (comma == std::string_view::npos) {
            break;
        }
        text.remove_prefix(comma + 1);
    }
    return parts;
}

/// A list, or one string: elements between commas, or a JSON list as text.
std::optional<std::vector<std::string>> listFrom(const json& value)
{
    if (value.is_string()) {
        const std::string_view text = trimmed(value.get_ref<const std::string&>());
        if (!text.starts_with('[')) {
            return listFrom(splitAtCommas(text));
        }
        const json list = json::parse(text, nullptr, false);
        return list.is_array() ? listFrom(list) : listFrom(splitAtCommas(text));
    }
    if (!value.is_array()) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (const json& element : value) {
        auto text = textFrom(element);
        if (!text || trimmed(*text).empty()) {
            return std::nullopt;
        }
        list.push_back(std::move(*text));
    }
    return list;
}

bool isNone(const json& value)
{
    if (!value.is_string()) {
        return value.is_null();
    }
    const std::string_view text = trimmed(value.get_ref<const std::string&>());
    return text == "none" || text == "null";
}

/// An object of texts, or the JSON text of one.
std::optional<std::map<std::string, std::string>> mapFrom(const json& value)
{
    if (value.is_string()) {
        const json object = json::parse(value.get_ref<const std::string&>(), nullptr, false);
        return object.is_object() ? mapFrom(object) : std::nullopt;
    }
    if (!value.is_object()) {
        return std::nullopt;
    }
    std::map<std::string, std::string> map;
    for (const auto& [key, element] : value.items()) {
        auto text = textFrom(element);
        if (!text || text->empty()) {
            return std::nullopt;
        }
        map[key] = std::move(*text);
    }
    return map;
}

std::string joined(const std::vector<std::string>& texts)
{
    std::string all;
    for (const std::string& text : texts) {
        all += (all.empty() ? "" : ", ") + text;
    }
    return all;
}

/// Puts one JSON value into the member of a row, or says why it cannot.
struct ValueWriter {
    RunConfig& config;
    const OptionRow& row;
    const json& value;

    template <class Value, class Member> Result<void> store(Member member, std::optional<Value> read) const
    {
        if (!read) {
            return refused(row.option, value);
        }
        config.*member = std::move(*read);
        return {};
    }

    template <class Number> std::optional<Number> ranged(std::optional<Number> number) const
    {
        return number && inRange(row.option, static_cast<double>(*number)) ? number : std::nullopt;
    }

    std::optional<std::string> checkedText() const
    {
        auto text = textFrom(value);
        return text && row.check && row.check(*text) ? std::nullopt : text;
    }

    Result<void> operator()(std::string RunConfig::*member) const { return store(member, checkedText()); }
    Result<void> operator()(int64_t RunConfig::*member) const { return store(member, ranged(integerFrom(value))); }
    Result<void> operator()(double RunConfig::*member) const { return store(member, ranged(realFrom(value))); }
    Result<void> operator()(bool RunConfig::*member) const { return store(member, booleanFrom(value)); }

    Result<void> operator()(std::optional<std::string> RunConfig::*member) const
    {
        auto text = checkedText();
        if (isNone(value) || (text && trimmed(*text).empty())) {
            config.*member = std::nullopt;
            return {};
        }
        return store(member, std::move(text));
    }

    template <class Number, class Read>
    Result<void> storeOptional(std::optional<Number> RunConfig::*member, Read read) const
    {
        if (isNone(value)) {
            config.*member = std::nullopt;
            return {};
        }
        return store(member, ranged(read(value)));
    }

    Result<void> operator()(std::optional<int64_t> RunConfig::*member) const
    {
        return storeOptional(member, integerFrom);
    }
    Result<void> operator()(std::optional<double> RunConfig::*member) const { return storeOptional(member, realFrom); }

    Result<void> operator()(std::vector<std::string> RunConfig::*member) const
    {
        if (row.option.optional && isNone(value)) {
            (config.*member).clear();
            return {};
        }
        auto list = listFrom(value);
        return store(
            member, list && static_cast<double>(list->size()) >= row.option.least.value_or(0) ? list : std::nullopt);
    }

    Result<void> operator()(std::map<std::string, std::string> RunConfig::*member) const
    {
        const bool isEmptyText = value.is_string() && trimmed(value.get_ref<const std::string&>()).empty();
        if (isNone(value) || isEmptyText) {
            (config.*member).clear();
            return {};
        }
        auto map = mapFrom(value);
        for (const auto& [key, text] : map.value_or(std::map<std::string, std::string>())) {
            const auto& known = row.option.choices;
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                return failure(
                    row.option.key + " knows no column \"" + key + "\"; the names are " + joined(known) + ".");
            }
        }
        return store(member, std::move(map));
    }

    Result<void> operator()(const ChoiceAccess& access) const
    {
        const auto& choices = row.option.choices;
        const std::string text = value.is_string() ? std::string(trimmed(value.get_ref<const std::string&>())) : "";
        const auto found = std::find(choices.begin(), choices.end(), text);
        if (found == choices.end()) {
            return refused(row.option, value);
        }
        access.set(config, static_cast<size_t>(found - choices.begin()));
        return {};
    }
};

std::string rangeInWords(const Option& option)
{
    if (!option.least && !option.most) {
        return {};
    }
    std::string words;
    if (option.least) {
        words += (option.leastExclusive ? " above " : " from ") + numberText(*option.least);
    }
    if (option.most) {
        words += (option.mostExclusive ? " to below " : " to ") + numberText(*option.most);
    }
    return words;
}

std::string allowedKind(const Option& option)
{
    switch (option.kind) {
    case OptionKind::integer:
        return "a whole number" + rangeInWords(option);
    case OptionKind::real:
        return "a number" + rangeInWords(option);
    case OptionKind::boolean:
        return "true or false";
    case OptionKind::choice:
        return "one of " + joined(option.choices);
    case OptionKind::textList:
        return option.least ? "a list with at least one text" : "a list of texts that are not empty";
    case OptionKind::textMap:
        return "a JSON object of texts with keys from " + joined(option.choices);
    case OptionKind::text:
        break;
    }
    const OptionRow* row = findOptionRow(option.key);
    const auto allowed = row != nullptr && row->check ? row->check({}) : std::nullopt;
    return allowed.value_or("a text");
}

} // namespace

std::string allowedValues(const Option& option)
{
    return allowedKind(option) + (option.optional ? ", or none" : "");
}

nlohmann::json optionValue(const RunConfig& config, std::string_view key)
{
    const OptionRow* row = findOptionRow(key);
    if (row == nullptr) {
        return nullptr;
    }
    const auto optional = [&](const auto& value) { return value ? json(*value) : json(); };
    return std::visit(Overloaded {
                          [&](const ChoiceAccess& access) { return json(row->option.choices.at(access.get(config))); },
                          [&](std::optional<std::string> RunConfig::*member) { return optional(config.*member); },
                          [&](std::optional<int64_t> RunConfig::*member) { return optional(config.*member); },
                          [&](std::optional<double> RunConfig::*member) { return optional(config.*member); },
                          [&](std::vector<std::string> RunConfig::*member) {
                              return row->option.optional && (config.*member).empty() ? json() : json(config.*member);
                          },
                          [&](std::map<std::string, std::string> RunConfig::*member) {
                              return (config.*member).empty() ? json() : json(config.*member);
                          },
                          [&](auto member) { return json(config.*member); },
                      },
        row->member);
}

Result<void> setOption(RunConfig& config, std::string_view key, const nlohmann::json& value)
{
    const OptionRow* row = findOptionRow(key);
    if (row == nullptr) {
        return failure(unknownKeyMessage(key));
    }
    return std::visit(ValueWriter { config, *row, value }, row->member);
}

} // namespace tunebench
