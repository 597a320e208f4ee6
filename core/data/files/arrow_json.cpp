#include "core/data/files/arrow_json.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/util/float16.h>

#include <array>
#include <charconv>
#include <cmath>

namespace tunebench {
namespace {

template <class Number> void appendNumber(std::string& out, Number value)
{
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(value)) {
            out += "null";
            return;
        }
    }
    std::array<char, 32> digits {};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
    out += text;
    if (std::is_floating_point_v<Number> && text.find_first_of(".e") == std::string_view::npos)
        out += ".0"; // it stays a number with a fraction
}

template <class ArrayType> const ArrayType& as(const arrow::Array& array)
{
    return static_cast<const ArrayType&>(array);
}

template <class ArrayType> void appendPrimitive(std::string& out, const arrow::Array& array, int64_t index)
{
    appendNumber(out, as<ArrayType>(array).Value(index));
}

template <class ArrayType> void appendText(std::string& out, const arrow::Array& array, int64_t index)
{
    appendQuoted(out, as<ArrayType>(array).GetView(index));
}

template <class ArrayType> void appendList(std::string& out, const arrow::Array& array, int64_t index)
{
    const auto& list = as<ArrayType>(array);
    const int64_t begin = list.value_offset(index);
    out += '[';
    for (int64_t i = 0; i < list.value_length(index); ++i) {
        if (i > 0)
            out += ',';
        appendJson(out, *list.values(), begin + i);
    }
    out += ']';
}

void appendStruct(std::string& out, const arrow::Array& array, int64_t index)
{
    const auto& values = as<arrow::StructArray>(array);
    out += '{';
    for (int i = 0; i < values.num_fields(); ++i) {
        if (i > 0)
            out += ',';
        appendQuoted(out, values.struct_type()->field(i)->name());
        out += ':';
        appendJson(out, *values.field(i), index);
    }
    out += '}';
}

void appendMap(std::string& out, const arrow::Array& array, int64_t index)
{
    const auto& map = as<arrow::MapArray>(array);
    const int64_t begin = map.value_offset(index);
    out += '{';
    for (int64_t i = begin; i < begin + map.value_length(index); ++i) {
        if (i > begin)
            out += ',';
        appendJson(out, *map.keys(), i);
        out += ':';
        appendJson(out, *map.items(), i);
    }
    out += '}';
}

/// What JSON has no type for but a person can read.
void appendPrinted(std::string& out, const arrow::Array& array, int64_t index)
{
    appendQuoted(out, array.GetScalar(index).ValueOrDie()->ToString());
}

using Append = void (*)(std::string& out, const arrow::Array& array, int64_t index);

Append numberOf(arrow::Type::type type)
{
    using arrow::Type;
    switch (type) {
    case Type::INT8:
        return appendPrimitive<arrow::Int8Array>;
    case Type::INT16:
        return appendPrimitive<arrow::Int16Array>;
    case Type::INT32:
        return appendPrimitive<arrow::Int32Array>;
    case Type::INT64:
        return appendPrimitive<arrow::Int64Array>;
    case Type::UINT8:
        return appendPrimitive<arrow::UInt8Array>;
    case Type::UINT16:
        return appendPrimitive<arrow::UInt16Array>;
    case Type::UINT32:
        return appendPrimitive<arrow::UInt32Array>;
    case Type::UINT64:
        return appendPrimitive<arrow::UInt64Array>;
    case Type::DOUBLE:
        return appendPrimitive<arrow::DoubleArray>;
    case Type::FLOAT:
        return [](std::string& out, const arrow::Array& array, int64_t index) {
            appendNumber(out, double { as<arrow::FloatArray>(array).Value(index) });
        };
    case Type::HALF_FLOAT:
        return [](std::string& out, const arrow::Array& array, int64_t index) {
            const uint16_t bits = as<arrow::HalfFloatArray>(array).Value(index);
            appendNumber(out, double { arrow::util::Float16::FromBits(bits).ToFloat() });
        };
    case Type::BOOL:
        return [](std::string& out, const arrow::Array& array, int64_t index) {
            out += as<arrow::BooleanArray>(array).Value(index) ? "true" : "false";
        };
    default:
        return nullptr;
    }
}

Append textOf(arrow::Type::type type)
{
    using arrow::Type;
    switch (type) {
    case Type::STRING:
        return appendText<arrow::StringArray>;
    case Type::LARGE_STRING:
        return appendText<arrow::LargeStringArray>;
    case Type::STRING_VIEW:
        return appendText<arrow::StringViewArray>;
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIMESTAMP:
    case Type::TIME32:
    case Type::TIME64:
    case Type::DURATION:
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
        return appendPrinted;
    default:
        return nullptr;
    }
}

Append nestedOf(arrow::Type::type type)
{
    using arrow::Type;
    switch (type) {
    case Type::LIST:
        return appendList<arrow::ListArray>;
    case Type::LARGE_LIST:
        return appendList<arrow::LargeListArray>;
    case Type::FIXED_SIZE_LIST:
        return appendList<arrow::FixedSizeListArray>;
    case Type::LIST_VIEW:
        return appendList<arrow::ListViewArray>;
    case Type::LARGE_LIST_VIEW:
        return appendList<arrow::LargeListViewArray>;
    case Type::STRUCT:
        return appendStruct;
    case Type::MAP:
        return appendMap;
    case Type::DICTIONARY:
        return [](std::string& out, const arrow::Array& array, int64_t index) {
            const auto& coded = as<arrow::DictionaryArray>(array);
            appendJson(out, *coded.dictionary(), coded.GetValueIndex(index));
        };
    case Type::EXTENSION:
        return [](std::string& out, const arrow::Array& array, int64_t index) {
            appendJson(out, *as<arrow::ExtensionArray>(array).storage(), index);
        };
    default:
        return nullptr;
    }
}

Append writerOf(arrow::Type::type type)
{
    for (const auto find : { numberOf, textOf, nestedOf }) {
        if (const Append append = find(type))
            return append;
    }
    return nullptr;
}

} // namespace

const arrow::DataType* unknownInJson(const arrow::DataType& type)
{
    if (type.id() == arrow::Type::NA)
        return nullptr;
    if (type.id() == arrow::Type::DICTIONARY)
        return unknownInJson(*static_cast<const arrow::DictionaryType&>(type).value_type());
    if (type.id() == arrow::Type::EXTENSION)
        return unknownInJson(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    if (writerOf(type.id()) == nullptr)
        return &type;
    if (type.id() == arrow::Type::MAP && textOf(static_cast<const arrow::MapType&>(type).key_type()->id()) == nullptr)
        return &type;
    for (const auto& field : type.fields()) {
        if (const auto* unknown = unknownInJson(*field->type()))
            return unknown;
    }
    return nullptr;
}

void appendJson(std::string& out, const arrow::Array& array, int64_t index)
{
    const Append append = array.IsNull(index) ? nullptr : writerOf(array.type_id());
    if (append != nullptr)
        append(out, array, index);
    else
        out += "null";
}

void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    for (size_t at = 0; at < text.size();) {
        size_t plain = at;
        while (plain < text.size() && text[plain] != '"' && text[plain] != '\\'
            && static_cast<unsigned char>(text[plain]) >= 0x20)
            ++plain;
        out += text.substr(at, plain - at);
        if (plain == text.size())
            break;
        const auto c = static_cast<unsigned char>(text[plain]);
        if (c < 0x20) {
            out += c < 0x10 ? "\\u000" : "\\u001";
            out += "0123456789abcdef"[c % 16];
        } else {
            out += '\\';
            out += text[plain];
        }
        at = plain + 1;
    }
    out += '"';
}

} // namespace tunebench
