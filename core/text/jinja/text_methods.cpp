#include "core/text/jinja/filters.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/text.h"

#include <algorithm>

/// Methods of str.
namespace tunebench::jinja {

namespace {

void refuseSafe(const Value& self, std::string_view method)
{
    if (self.isSafeText())
        throw TemplateFailure("the method '" + std::string(method) + "' of a text marked safe is not supported");
}

/// Positional arguments only, as most methods of str take them.
void checkCount(std::string_view method, const Arguments& arguments, size_t least, size_t most)
{
    const size_t count = arguments.positional.size();
    if (!arguments.keywords.empty() || count < least || count > most)
        throw TypeFailure("wrong number of arguments for " + std::string(method));
}

template <Side side> Value stripMethod(const Value& self, const Arguments& arguments)
{
    checkCount("strip", arguments, 0, 1);
    std::optional<std::string_view> characters;
    if (!arguments.positional.empty() && !arguments.positional[0].isNone())
        characters = textOf(arguments.positional[0], "the argument of strip");
    return Value(std::string(strip(self.text(), side, characters)), self.isSafeText());
}

template <std::string (*change)(std::string_view)> Value changeMethod(const Value& self, const Arguments& arguments)
{
    checkCount("the method", arguments, 0, 0);
    return Value(change(self.text()), self.isSafeText());
}

Value textList(const std::vector<std::string_view>& parts, bool safe)
{
    std::vector<Value> items;
    items.reserve(parts.size());
    for (const std::string_view part : parts)
        items.emplace_back(std::string(part), safe);
    return Value::list(std::move(items));
}

template <bool fromRight> Value splitMethod(const Value& self, const Arguments& arguments)
{
    const auto given = bind("split", arguments, { "sep", "maxsplit" });
    const int64_t limit = integerOr(given[1], -1);
    if (!given[0] || given[0]->isNone())
        return textList(
            fromRight ? splitSpaceFromRight(self.text(), limit) : splitSpace(self.text(), limit), self.isSafeText());
    const std::string& separator = textOf(*given[0], "the separator");
    if (separator.empty())
        throw ValueFailure("empty separator");
    return textList(fromRight ? splitFromRight(self.text(), separator, limit) : split(self.text(), separator, limit),
        self.isSafeText());
}

Value splitlinesMethod(const Value& self, const Arguments& arguments)
{
    const auto given = bind("splitlines", arguments, { "keepends" });
    return textList(splitLines(self.text(), truthOr(given[0], false)), self.isSafeText());
}

template <bool fromRight> Value partitionMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "partition");
    checkCount("partition", arguments, 1, 1);
    const std::string& separator = textOf(arguments.positional[0], "the separator");
    if (separator.empty())
        throw ValueFailure("empty separator");
    const std::string& text = self.text();
    const size_t at = fromRight ? findTextFromRight(text, separator) : findText(text, separator);
    if (at == std::string::npos)
        return fromRight ? Value::tuple({ "", "", self }) : Value::tuple({ self, "", "" });
    return Value::tuple({ Value(text.substr(0, at)), Value(separator), Value(text.substr(at + separator.size())) });
}

/// The part of the text that the optional start and end arguments (from `first` on) leave; empty when they
/// leave nothing at all, which even an empty text is not found in.
struct Window {
    std::string_view text;
    size_t begin = 0; ///< characters before it
    bool valid = true;
};

Window window(const Value& self, const Arguments& arguments, size_t first)
{
    const std::string& text = self.text();
    if (arguments.positional.size() <= first)
        return { text };
    const auto length = static_cast<int64_t>(characterCount(text));
    const auto bound = [&](size_t position, int64_t fallback) {
        if (arguments.positional.size() <= position || arguments.positional[position].isNone())
            return fallback;
        const int64_t value = integerOr(arguments.positional[position], 0);
        return value < 0 ? std::max<int64_t>(value + length, 0) : value;
    };
    const int64_t begin = bound(first, 0);
    const int64_t end = std::min(bound(first + 1, length), length);
    if (begin > end)
        return { {}, 0, false };
    const std::string_view rest = std::string_view(text).substr(byteOffset(text, static_cast<size_t>(begin)));
    return { rest.substr(0, byteOffset(rest, static_cast<size_t>(end - begin))), static_cast<size_t>(begin) };
}

template <bool atEnd> Value affixMethod(const Value& self, const Arguments& arguments)
{
    checkCount(atEnd ? "endswith" : "startswith", arguments, 1, 3);
    const Window seen = window(self, arguments, 1);
    const auto matches = [&](const Value& affix) {
        const std::string& wanted = textOf(affix, "the argument");
        return seen.valid && (atEnd ? seen.text.ends_with(wanted) : seen.text.starts_with(wanted));
    };
    const Sequence* several = arguments.positional[0].sequence();
    if (several && several->kind == Sequence::Kind::tuple)
        return std::any_of(several->items.begin(), several->items.end(), matches);
    return matches(arguments.positional[0]);
}

template <bool fromRight> int64_t findIn(const Value& self, const Arguments& arguments)
{
    checkCount("find", arguments, 1, 3);
    const std::string& wanted = textOf(arguments.positional[0], "the argument of find");
    const Window seen = window(self, arguments, 1);
    const size_t at = fromRight ? findTextFromRight(seen.text, wanted) : findText(seen.text, wanted);
    if (!seen.valid || at == std::string_view::npos)
        return -1;
    return static_cast<int64_t>(seen.begin + characterCount(seen.text.substr(0, at)));
}

template <bool fromRight> Value findMethod(const Value& self, const Arguments& arguments)
{
    return findIn<fromRight>(self, arguments);
}

template <bool fromRight> Value indexMethod(const Value& self, const Arguments& arguments)
{
    const int64_t position = findIn<fromRight>(self, arguments);
    if (position < 0)
        throw ValueFailure("substring not found");
    return position;
}

Value countMethod(const Value& self, const Arguments& arguments)
{
    checkCount("count", arguments, 1, 3);
    const Window seen = window(self, arguments, 1);
    const std::string& wanted = textOf(arguments.positional[0], "the argument of count");
    return seen.valid ? static_cast<int64_t>(countOf(seen.text, wanted)) : int64_t { 0 };
}

Value replaceMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "replace");
    checkCount("replace", arguments, 2, 3);
    const int64_t limit = arguments.positional.size() > 2 ? integerOr(arguments.positional[2], -1) : -1;
    return Value(replace(self.text(), textOf(arguments.positional[0], "the old text"),
        textOf(arguments.positional[1], "the new text"), limit));
}

template <bool atEnd> Value removeMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "removeprefix");
    checkCount("removeprefix", arguments, 1, 1);
    const std::string& affix = textOf(arguments.positional[0], "the argument");
    const std::string& text = self.text();
    if (!(atEnd ? text.ends_with(affix) : text.starts_with(affix)))
        return self;
    return Value(atEnd ? text.substr(0, text.size() - affix.size()) : text.substr(affix.size()));
}

Value joinMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "join");
    checkCount("join", arguments, 1, 1);
    std::string out;
    bool first = true;
    for (const Value& item : iterate(arguments.positional[0])) {
        if (!first)
            out += self.text();
        first = false;
        out += textOf(item, "an item of join");
        checkTextSize(out.size());
    }
    return Value(std::move(out));
}

enum class Padding { left, right, center, zeros };

template <Padding padding> Value padMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "ljust");
    checkCount("padding", arguments, 1, padding == Padding::zeros ? 1 : 2);
    const std::string& text = self.text();
    std::string fill = padding == Padding::zeros ? "0" : " ";
    if (arguments.positional.size() > 1)
        fill = textOf(arguments.positional[1], "the fill character");
    if (characterCount(fill) != 1)
        throw TypeFailure("the fill character must be exactly one character long");
    const int64_t width = integerOr(arguments.positional[0], 0);
    const auto missing = static_cast<size_t>(std::max<int64_t>(width - static_cast<int64_t>(characterCount(text)), 0));
    checkTextSize(missing > maxTextBytes ? missing : text.size() + missing * fill.size());
    const auto repeated = [&](size_t count) {
        std::string out;
        for (size_t i = 0; i < count; ++i)
            out += fill;
        return out;
    };
    if (padding == Padding::right)
        return Value(text + repeated(missing));
    if (padding == Padding::left)
        return Value(repeated(missing) + text);
    if (padding == Padding::zeros) {
        const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
        return Value(text.substr(0, sign) + repeated(missing) + text.substr(sign));
    }
    const size_t left = missing / 2 + (missing & static_cast<size_t>(width) & 1U);
    return Value(repeated(left) + text + repeated(missing - left));
}

/// str.format with plain fields: {}, {0}, {name}.
Value formatMethod(const Value& self, const Arguments& arguments)
{
    refuseSafe(self, "format");
    const std::string& format = self.text();
    std::string out;
    size_t automatic = 0;
    for (size_t at = 0; at < format.size(); ++at) {
        const char byte = format[at];
        const bool doubled = at + 1 < format.size() && format[at + 1] == byte;
        if (byte != '{' && byte != '}') {
            out += byte;
        } else if (doubled) {
            out += byte;
            ++at;
        } else {
            const size_t end = format.find('}', at);
            if (byte == '}' || end == std::string::npos)
                throw ValueFailure("a single brace in a format string");
            const std::string field = format.substr(at + 1, end - at - 1);
            if (field.find_first_of(".[!:{") != std::string::npos)
                throw TemplateFailure("the format field '{" + field + "}' is not supported");
            const bool isNumber = field.find_first_not_of("0123456789") == std::string::npos;
            const auto keyword = std::find_if(arguments.keywords.begin(), arguments.keywords.end(),
                [&](const auto& entry) { return entry.first == field; });
            const size_t position = field.empty() ? automatic++
                : field.size() < 9 && isNumber    ? static_cast<size_t>(std::stoul(field))
                                                  : arguments.positional.size();
            if (isNumber && position < arguments.positional.size())
                out += toText(arguments.positional[position]);
            else if (!isNumber && keyword != arguments.keywords.end())
                out += toText(keyword->second);
            else
                throw TypeFailure("the format field '{" + field + "}' has no argument");
            at = end;
        }
        checkTextSize(out.size());
    }
    return Value(std::move(out));
}

/// Every character is one of a kind, and there is one at least.
template <bool (*predicate)(char32_t)> Value everyMethod(const Value& self, const Arguments& arguments)
{
    checkCount("the method", arguments, 0, 0);
    const std::string& text = self.text();
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at)) {
        if (!predicate(codeAt(text, at)))
            return false;
    }
    return !text.empty();
}

bool isDigit(char32_t code)
{
    if (code >= 0x80 && !isLetter(code) && !isSpace(code))
        throw TemplateFailure("asking for digits outside ASCII is not supported");
    return code >= '0' && code <= '9';
}

bool isLetterOrDigit(char32_t code)
{
    return isLetter(code) || isDigit(code);
}

template <bool (*wanted)(char32_t), bool (*other)(char32_t)>
Value caseMethod(const Value& self, const Arguments& arguments)
{
    checkCount("the method", arguments, 0, 0);
    const std::string& text = self.text();
    bool found = false;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at)) {
        if (other(codeAt(text, at)))
            return false;
        found |= wanted(codeAt(text, at));
    }
    return found;
}

Value unsupported(const Value&, const Arguments&)
{
    throw TemplateFailure("this method of a text is not supported in a template");
}

struct NamedMethod {
    std::string_view name;
    MethodFunction function;
};

constexpr NamedMethod methods[] = {
    { "capitalize", changeMethod<capitalize> },
    { "casefold", unsupported },
    { "center", padMethod<Padding::center> },
    { "count", countMethod },
    { "encode", unsupported },
    { "endswith", affixMethod<true> },
    { "expandtabs", unsupported },
    { "find", findMethod<false> },
    { "format", formatMethod },
    { "format_map", unsupported },
    { "index", indexMethod<false> },
    { "isalnum", everyMethod<isLetterOrDigit> },
    { "isalpha", everyMethod<isLetter> },
    { "isascii", unsupported },
    { "isdecimal", everyMethod<isDigit> },
    { "isdigit", everyMethod<isDigit> },
    { "isidentifier", unsupported },
    { "islower", caseMethod<isLower, isUpper> },
    { "isnumeric", everyMethod<isDigit> },
    { "isprintable", unsupported },
    { "isspace", everyMethod<isSpace> },
    { "istitle", unsupported },
    { "isupper", caseMethod<isUpper, isLower> },
    { "join", joinMethod },
    { "ljust", padMethod<Padding::right> },
    { "lower", changeMethod<toLower> },
    { "lstrip", stripMethod<Side::left> },
    { "maketrans", unsupported },
    { "partition", partitionMethod<false> },
    { "removeprefix", removeMethod<false> },
    { "removesuffix", removeMethod<true> },
    { "replace", replaceMethod },
    { "rfind", findMethod<true> },
    { "rindex", indexMethod<true> },
    { "rjust", padMethod<Padding::left> },
    { "rpartition", partitionMethod<true> },
    { "rsplit", splitMethod<true> },
    { "rstrip", stripMethod<Side::right> },
    { "split", splitMethod<false> },
    { "splitlines", splitlinesMethod },
    { "startswith", affixMethod<false> },
    { "strip", stripMethod<Side::both> },
    { "swapcase", unsupported },
    { "title", changeMethod<toTitle> },
    { "translate", unsupported },
    { "upper", changeMethod<toUpper> },
    { "zfill", padMethod<Padding::zeros> },
};

} // namespace

MethodFunction findTextMethod(std::string_view name)
{
    const auto* found
        = std::find_if(std::begin(methods), std::end(methods), [&](const auto& entry) { return entry.name == name; });
    return found == std::end(methods) ? nullptr : found->function;
}

} // namespace tunebench::jinja
