#include "core/text/jinja/text.h"
#include "core/text/jinja/value.h"

#include <charconv>
#include <cmath>

/// How Python prints values: str() and repr().
namespace tunebench::jinja {

std::string reprOfFloat(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const std::string_view shortest(buffer, static_cast<size_t>(end - buffer));
    const size_t e = shortest.find('e');
    int exponent = 0;
    const char* digits = shortest.data() + e + 1 + (shortest[e + 1] == '+' ? 1 : 0);
    std::from_chars(digits, end, exponent);
    if (exponent < -4 || exponent >= 16)
        return std::string(shortest);
    const auto fixedEnd = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
    std::string text(buffer, fixedEnd);
    if (text.find('.') == std::string::npos)
        text += ".0";
    return text;
}

namespace {

void appendHex(std::string& out, char32_t code)
{
    static constexpr char digits[] = "0123456789abcdef";
    const int width = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    out += code < 0x100 ? "\\x" : code < 0x10000 ? "\\u" : "\\U";
    for (int shift = (width - 1) * 4; shift >= 0; shift -= 4)
        out += digits[(code >> static_cast<unsigned>(shift)) & 15U];
}

void appendItems(std::string& out, const std::vector<Value>& items)
{
    bool first = true;
    for (const Value& item : items) {
        if (!first)
            out += ", ";
        first = false;
        out += toRepr(item);
    }
}

std::string reprOfDict(const Dict& dict)
{
    std::string out = "{";
    for (const auto& [key, value] : dict.entries) {
        if (out.size() > 1)
            out += ", ";
        out += toRepr(key) + ": " + toRepr(value);
        checkTextSize(out.size());
    }
    return out + "}";
}

std::string reprOfSequence(const Sequence& sequence)
{
    if (sequence.kind == Sequence::Kind::range && !sequence.label.empty())
        return sequence.label;
    if (sequence.kind == Sequence::Kind::range || sequence.kind == Sequence::Kind::iterator)
        throw TemplateFailure("printing a generator is not supported; use the filter 'list' first");
    static constexpr std::string_view openings[] = { "[", "(", "", "dict_keys([", "dict_values([", "dict_items([" };
    static constexpr std::string_view closings[] = { "]", ")", "", "])", "])", "])" };
    const auto kind = static_cast<size_t>(sequence.kind);
    std::string out(openings[kind]);
    appendItems(out, sequence.items);
    if (sequence.kind == Sequence::Kind::tuple && sequence.items.size() == 1)
        out += ",";
    out += closings[kind];
    return out;
}

} // namespace

std::string reprOfText(std::string_view text)
{
    const bool doubleQuotes = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    const char quote = doubleQuotes ? '"' : '\'';
    std::string out(1, quote);
    for (size_t at = 0; at < text.size();) {
        const size_t size = sequenceSize(text, at);
        const char32_t code = codeAt(text, at);
        if (code == static_cast<char32_t>(quote) || code == '\\')
            out.append(1, '\\').append(1, static_cast<char>(code));
        else if (code == '\n')
            out += "\\n";
        else if (code == '\r')
            out += "\\r";
        else if (code == '\t')
            out += "\\t";
        else if (isPrintable(code))
            out += text.substr(at, size);
        else
            appendHex(out, code);
        at += size;
    }
    return out + quote;
}

std::string toRepr(const Value& value)
{
    if (value.isText())
        return value.isSafeText() ? "Markup(" + reprOfText(value.text()) + ")" : reprOfText(value.text());
    if (value.isUndefined())
        return "Undefined";
    return toText(value);
}

std::string toText(const Value& value)
{
    if (value.isText())
        return value.text();
    if (value.isUndefined())
        return {};
    if (value.isNone())
        return "None";
    if (value.isBool())
        return value.truthy() ? "True" : "False";
    if (value.isInteger())
        return std::to_string(*value.index());
    if (value.isFloat())
        return reprOfFloat(value.real());
    if (const auto* sequence = value.sequence())
        return reprOfSequence(*sequence);
    if (const auto* dict = value.dict())
        return reprOfDict(*dict);
    if (const auto* loop = value.loop())
        return "<LoopContext " + std::to_string(loop->index0 + 1) + "/" + std::to_string(loop->items.size()) + ">";
    throw TemplateFailure("printing a " + std::string(value.typeName()) + " is not supported");
}

} // namespace tunebench::jinja
