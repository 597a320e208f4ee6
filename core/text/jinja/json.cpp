#include "core/text/jinja/json.h"

#include "core/text/jinja/filters.h"
#include "core/text/jinja/text.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <cmath>

namespace tunebench::jinja {

namespace {

/// What counts characters relies on it.
Value validText(const std::string& text)
{
    if (!isValidUtf8(text))
        throw TemplateFailure("the variables hold a text that is not valid UTF-8");
    return Value(text);
}

Value fromJsonAt(const nlohmann::ordered_json& json, size_t depth)
{
    if (depth > maxValueDepth)
        throw TemplateFailure("the variables hold lists or objects nested too deep");
    switch (json.type()) {
    case nlohmann::ordered_json::value_t::string:
        return validText(json.get_ref<const std::string&>());
    case nlohmann::ordered_json::value_t::boolean:
        return json.get<bool>();
    case nlohmann::ordered_json::value_t::number_integer:
        return json.get<int64_t>();
    case nlohmann::ordered_json::value_t::number_unsigned:
        if (json.get<uint64_t>() > INT64_MAX)
            throw TemplateFailure("the variables hold an integer over 64 bits, which is not supported");
        return json.get<int64_t>();
    case nlohmann::ordered_json::value_t::number_float:
        return json.get<double>();
    case nlohmann::ordered_json::value_t::array: {
        std::vector<Value> items;
        items.reserve(json.size());
        for (const auto& item : json)
            items.push_back(fromJsonAt(item, depth + 1));
        return Value::list(std::move(items));
    }
    case nlohmann::ordered_json::value_t::object: {
        auto dict = std::make_shared<Dict>();
        dict->entries.reserve(json.size());
        for (const auto& [key, item] : json.items())
            dict->set(validText(key), fromJsonAt(item, depth + 1));
        return std::shared_ptr<const Dict>(std::move(dict));
    }
    default:
        return None {};
    }
}

/// Python's json.dumps.
class JsonWriter {
public:
    bool ensureAscii = false;
    bool sortKeys = false;
    std::optional<std::string> indent;
    std::string itemSeparator = ", ";
    std::string keySeparator = ": ";

    std::string run(const Value& value)
    {
        write(value, 0);
        return std::move(m_out);
    }

private:
    void append(std::string_view text)
    {
        m_out += text;
        checkTextSize(m_out.size());
    }

    void newLine(size_t level)
    {
        if (!indent)
            return;
        append("\n");
        for (size_t i = 0; i < level; ++i)
            append(*indent);
    }

    void write(const Value& value, size_t level)
    {
        if (value.isText())
            writeText(value.text());
        else if (const auto* dict = value.dict())
            writeDict(*dict, level);
        else if (const auto* sequence = value.sequence(); sequence && sequence->kind <= Sequence::Kind::tuple)
            writeList(sequence->items, level);
        else if (value.isNone() || value.isNumber())
            append(scalar(value));
        else
            throw TypeFailure("a value of type " + std::string(value.typeName()) + " cannot be written as JSON");
    }

    static std::string scalar(const Value& value)
    {
        if (value.isNone())
            return "null";
        if (value.isBool())
            return value.truthy() ? "true" : "false";
        if (value.isFloat() && !std::isfinite(value.real()))
            return std::isnan(value.real()) ? "NaN" : value.real() < 0 ? "-Infinity" : "Infinity";
        return toText(value);
    }

    void writeList(const std::vector<Value>& items, size_t level)
    {
        if (items.empty()) {
            append("[]");
            return;
        }
        append("[");
        for (size_t i = 0; i < items.size(); ++i) {
            if (i > 0)
                append(itemSeparator);
            newLine(level + 1);
            write(items[i], level + 1);
        }
        newLine(level);
        append("]");
    }

    void writeDict(const Dict& dict, size_t level)
    {
        if (dict.entries.empty()) {
            append("{}");
            return;
        }
        std::vector<std::pair<Value, Value>> sorted;
        if (sortKeys) {
            sorted = dict.entries;
            std::stable_sort(sorted.begin(), sorted.end(),
                [](const auto& left, const auto& right) { return less(left.first, right.first); });
        }
        bool first = true;
        append("{");
        for (const auto& [key, value] : sortKeys ? sorted : dict.entries) {
            if (!first)
                append(itemSeparator);
            first = false;
            newLine(level + 1);
            if (!key.isText() && !key.isNumber() && !key.isNone())
                throw TypeFailure("a dict key of type " + std::string(key.typeName()) + " is not possible in JSON");
            writeText(key.isText() ? key.text() : scalar(key));
            append(keySeparator);
            write(value, level + 1);
        }
        newLine(level);
        append("}");
    }

    void writeUnit(char32_t unit)
    {
        static constexpr char digits[] = "0123456789abcdef";
        m_out += "\\u";
        for (unsigned shift = 16; shift > 0; shift -= 4)
            m_out += digits[(unit >> (shift - 4)) & 15U];
    }

    void writeText(std::string_view text)
    {
        m_out += '"';
        for (size_t at = 0; at < text.size();) {
            const size_t size = sequenceSize(text, at);
            writeCharacter(text.substr(at, size), codeAt(text, at));
            at += size;
        }
        append("\"");
    }

    void writeCharacter(std::string_view bytes, char32_t code)
    {
        static constexpr std::string_view letters = "\"\\\n\r\t\f\b";
        static constexpr std::string_view escapes = "\"\\nrtfb";
        const size_t known = code < 0x80 ? letters.find(static_cast<char>(code)) : std::string_view::npos;
        if (known != std::string_view::npos)
            m_out.append(1, '\\').append(1, escapes[known]);
        else if (code < 0x20 || (ensureAscii && code >= 0x7F && code < 0x10000))
            writeUnit(code);
        else if (ensureAscii && code >= 0x10000) {
            writeUnit(0xD800 + ((code - 0x10000) >> 10));
            writeUnit(0xDC00 + ((code - 0x10000) & 0x3FFU));
        } else {
            m_out += bytes;
        }
    }

    std::string m_out;
};

} // namespace

Value fromJson(const nlohmann::ordered_json& json)
{
    return fromJsonAt(json, 0);
}

Value toJson(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("tojson", arguments, { "ensure_ascii", "indent", "separators", "sort_keys" });
    JsonWriter writer;
    writer.ensureAscii = truthOr(given[0], false);
    writer.sortKeys = truthOr(given[3], false);
    if (given[1] && !given[1]->isNone()) {
        if (!given[1]->isText() && !given[1]->index())
            throw TypeFailure("tojson: indent must be an integer, a text or none");
        const int64_t width = given[1]->index().value_or(0);
        checkTextSize(static_cast<size_t>(std::max<int64_t>(width, 0)));
        writer.indent = given[1]->isText() ? given[1]->text()
                                           : std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
        writer.itemSeparator = ",";
    }
    if (given[2] && !given[2]->isNone()) {
        const auto separators = iterate(*given[2]);
        if (separators.size() != 2)
            throw TypeFailure("tojson: separators must be two texts");
        writer.itemSeparator = textOf(separators[0], "the item separator");
        writer.keySeparator = textOf(separators[1], "the key separator");
    }
    return writer.run(input);
}

} // namespace tunebench::jinja
