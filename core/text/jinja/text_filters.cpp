#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

/// The filters that work on one text or one number.
namespace tunebench::jinja {

namespace {

/// markupsafe's soft_str with a change applied: what was safe stays safe.
template <class Change> Value changed(const Value& input, Change change)
{
    return Value(std::string(change(toText(input))), input.isSafeText());
}

void takeNoArguments(std::string_view filter, const Arguments& arguments)
{
    bind(filter, arguments, {});
}

Value upperFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("upper", arguments);
    return changed(input, toUpper);
}

Value lowerFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("lower", arguments);
    return changed(input, toLower);
}

Value capitalizeFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("capitalize", arguments);
    return changed(input, capitalize);
}

/// Words begin behind white space and -({[<; unlike str.title, not behind other punctuation.
Value titleFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("title", arguments);
    const std::string text = toText(input);
    std::string out;
    size_t begin = 0;
    const auto isBreak = [&](size_t at) {
        return isSpace(codeAt(text, at)) || std::string_view("-({[<").find(text[at]) != std::string_view::npos;
    };
    while (begin < text.size()) {
        size_t end = begin;
        const bool breaks = isBreak(begin);
        while (end < text.size() && isBreak(end) == breaks)
            end += sequenceSize(text, end);
        const std::string_view word = std::string_view(text).substr(begin, end - begin);
        const size_t first = sequenceSize(word, 0);
        out += toUpper(word.substr(0, first)) + toLower(word.substr(first));
        begin = end;
    }
    return Value(std::move(out));
}

Value trimFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("trim", arguments, { "chars" });
    std::optional<std::string_view> characters;
    if (given[0] && !given[0]->isNone())
        characters = textOf(*given[0], "the characters to trim");
    return changed(input, [&](const std::string& text) { return strip(text, Side::both, characters); });
}

Value stringFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("string", arguments);
    return input.isText() ? input : Value(toText(input));
}

Value safeFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("safe", arguments);
    return Value(toText(input), true);
}

Value escapeFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("escape", arguments);
    return input.isSafeText() ? input : Value(escapeHtml(toText(input)), true);
}

Value forceEscapeFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("forceescape", arguments);
    return Value(escapeHtml(toText(input)), true);
}

Value replaceFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("replace", arguments, { "old", "new", "count" });
    if (!given[0] || !given[1])
        throw TypeFailure("replace needs the old and the new text");
    const int64_t count = given[2] && !given[2]->isNone() ? integerOr(given[2], -1) : -1;
    return Value(replace(toText(input), toText(*given[0]), toText(*given[1]), count));
}

Value indentFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("indent", arguments, { "width", "first", "blank" });
    if (input.isUndefined())
        failUndefined(input);
    textOf(input, "the input of indent");
    const bool blank = truthOr(given[2], false);
    std::string indention;
    if (given[0] && given[0]->isText()) {
        indention = given[0]->text();
    } else {
        const auto width = static_cast<size_t>(std::max<int64_t>(integerOr(given[0], 4), 0));
        checkTextSize(width);
        indention.assign(width, ' ');
    }
    const std::string text = input.text() + "\n";
    std::string out = truthOr(given[1], false) ? indention : std::string();
    bool firstLine = true;
    for (const std::string_view line : splitLines(text, false)) {
        if (!firstLine) {
            out += "\n";
            if (blank || !line.empty())
                out += indention;
        }
        firstLine = false;
        out += line;
        checkTextSize(out.size());
    }
    return Value(std::move(out), input.isSafeText());
}

Value centerFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("center", arguments, { "width" });
    const std::string text = toText(input);
    const auto width = static_cast<size_t>(std::max<int64_t>(integerOr(given[0], 80), 0));
    checkTextSize(width);
    const size_t size = characterCount(text);
    if (size >= width)
        return changed(input, [](const std::string& same) { return same; });
    const size_t missing = width - size;
    const size_t left = missing / 2 + (missing & width & 1U);
    return Value(std::string(left, ' ') + text + std::string(missing - left, ' '), input.isSafeText());
}

Value formatFilter(const Value& input, const Arguments& arguments, Budget&)
{
    if (!arguments.positional.empty() && !arguments.keywords.empty())
        throw TypeFailure("format takes either positional or named arguments, not both");
    if (input.isSafeText())
        throw TemplateFailure("the filter 'format' on a text marked safe is not supported");
    if (arguments.keywords.empty())
        return Value(formatPercent(toText(input), Value::tuple(arguments.positional)));
    auto dict = std::make_shared<Dict>();
    for (const auto& [name, value] : arguments.keywords)
        dict->set(Value(name), value);
    return Value(formatPercent(toText(input), std::shared_ptr<const Dict>(std::move(dict))));
}

Value defaultFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("default", arguments, { "default_value", "boolean" });
    if (input.isUndefined() || (truthOr(given[1], false) && !input.truthy()))
        return given[0] ? *given[0] : Value(std::string());
    return input;
}

/// The digits of a Python number literal in a text: white space around it and single underscores are taken out.
std::optional<std::string> numberSpelling(const std::string& text)
{
    const std::string_view stripped = strip(text, Side::both);
    std::string out;
    for (size_t i = 0; i < stripped.size(); ++i) {
        if (stripped[i] != '_') {
            out += stripped[i];
            continue;
        }
        const auto isAlphanumeric = [&](size_t at) {
            return at < stripped.size() && std::isalnum(static_cast<unsigned char>(stripped[at])) != 0;
        };
        if (i == 0 || !isAlphanumeric(i - 1) || !isAlphanumeric(i + 1))
            return {};
    }
    if (!out.empty() && out[0] == '+' && out.size() > 1 && out[1] != '-' && out[1] != '+')
        out.erase(0, 1);
    return out;
}

std::optional<double> parseFloat(const std::string& text)
{
    const auto spelling = numberSpelling(text);
    double value = 0;
    if (!spelling || spelling->empty())
        return {};
    const char* end = spelling->data() + spelling->size();
    const auto result = std::from_chars(spelling->data(), end, value);
    if (result.ptr != end || result.ec == std::errc::invalid_argument || spelling->find('(') != std::string::npos)
        return {};
    if (result.ec == std::errc::result_out_of_range)
        throw TemplateFailure("the number " + *spelling + " is out of range, which is not supported");
    return value;
}

std::optional<int64_t> parseInteger(const std::string& text, int64_t base)
{
    auto spelling = numberSpelling(text);
    if (!spelling || spelling->empty())
        return {};
    const bool negative = (*spelling)[0] == '-';
    std::string digits = spelling->substr(negative ? 1 : 0);
    const auto prefixBase = [&]() -> int64_t {
        if (digits.size() < 3 || digits[0] != '0')
            return 0;
        const char mark = static_cast<char>(digits[1] | 0x20);
        return mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    }();
    if (prefixBase != 0 && (base == 0 || base == prefixBase)) {
        digits.erase(0, 2);
        base = prefixBase;
    } else if (base == 0) {
        base = 10;
    }
    if (base < 2 || base > 36)
        return {};
    if (negative)
        digits.insert(0, "-");
    int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, static_cast<int>(base));
    if (result.ptr != end || result.ec == std::errc::invalid_argument || (negative && digits.find('-', 1) == 1))
        return {};
    if (result.ec == std::errc::result_out_of_range)
        throw TemplateFailure("the integer " + digits + " has more than 64 bits, which is not supported");
    return value;
}

std::optional<int64_t> truncated(double value)
{
    if (!std::isfinite(value))
        return {};
    if (std::fabs(value) >= 9.2e18)
        throw TemplateFailure("an integer over 64 bits is not supported");
    return static_cast<int64_t>(value);
}

Value intFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("int", arguments, { "default", "base" });
    const Value fallback = given[0] ? *given[0] : Value(int64_t { 0 });
    if (input.isUndefined())
        failUndefined(input);
    if (input.isText()) {
        if (const auto integer = parseInteger(input.text(), integerOr(given[1], 10)))
            return *integer;
        const auto real = parseFloat(input.text());
        const auto integer = real ? truncated(*real) : std::nullopt;
        return integer ? Value(*integer) : fallback;
    }
    if (input.isFloat()) {
        const auto integer = truncated(input.real());
        return integer ? Value(*integer) : fallback;
    }
    return input.index() ? Value(*input.index()) : fallback;
}

Value floatFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("float", arguments, { "default" });
    const Value fallback = given[0] ? *given[0] : Value(0.0);
    if (input.isUndefined())
        failUndefined(input);
    if (input.isText()) {
        const auto real = parseFloat(input.text());
        return real ? Value(*real) : fallback;
    }
    return input.isNumber() ? Value(input.real()) : fallback;
}

Value absFilter(const Value& input, const Arguments& arguments, Budget&)
{
    takeNoArguments("abs", arguments);
    if (input.isUndefined())
        failUndefined(input);
    if (input.isFloat())
        return std::fabs(input.real());
    if (!input.index())
        throw TypeFailure("abs needs a number, not '" + std::string(input.typeName()) + "'");
    return *input.index() < 0 ? negate(input) : Value(*input.index());
}

/// To the nearest decimal of the exact value, halves to even, as Python's round().
double roundTo(double value, int64_t precision)
{
    if (!std::isfinite(value) || precision > 300)
        return value;
    if (precision < 0) {
        const double unit = std::pow(10.0, static_cast<double>(-precision));
        return std::nearbyint(value / unit) * unit;
    }
    char buffer[800];
    const auto end
        = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, static_cast<int>(precision))
              .ptr;
    double rounded = 0;
    std::from_chars(buffer, end, rounded);
    return rounded;
}

Value roundFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("round", arguments, { "precision", "method" });
    const int64_t precision = integerOr(given[0], 0);
    const std::string method = given[1] ? toText(*given[1]) : "common";
    if (method != "common" && method != "ceil" && method != "floor")
        throw TemplateFailure("the method of round must be common, ceil or floor");
    if (input.isUndefined())
        failUndefined(input);
    if (!input.isNumber())
        throw TypeFailure("round needs a number, not '" + std::string(input.typeName()) + "'");
    if (method == "common") {
        if (input.index() && precision < 0)
            throw TemplateFailure("rounding an integer to tens is not supported");
        return input.index() ? Value(*input.index()) : Value(roundTo(input.real(), precision));
    }
    if (std::llabs(precision) > 300)
        throw TemplateFailure("the precision of round is too large");
    const double unit = std::pow(10.0, static_cast<double>(precision));
    const double scaled = input.real() * unit;
    return (method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit;
}

constexpr NamedFilter filters[] = { { "abs", absFilter }, { "capitalize", capitalizeFilter },
    { "center", centerFilter }, { "d", defaultFilter }, { "default", defaultFilter }, { "e", escapeFilter },
    { "escape", escapeFilter }, { "float", floatFilter }, { "forceescape", forceEscapeFilter },
    { "format", formatFilter }, { "indent", indentFilter }, { "int", intFilter }, { "lower", lowerFilter },
    { "replace", replaceFilter }, { "round", roundFilter }, { "safe", safeFilter }, { "string", stringFilter },
    { "title", titleFilter }, { "trim", trimFilter }, { "upper", upperFilter } };

} // namespace

FilterFunction findTextFilter(std::string_view name)
{
    const auto* found
        = std::find_if(std::begin(filters), std::end(filters), [&](const auto& entry) { return entry.name == name; });
    return found == std::end(filters) ? nullptr : found->function;
}

} // namespace tunebench::jinja
