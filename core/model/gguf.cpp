#include "core/model/gguf.h"

#include "core/model/weight_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <set>

namespace tunebench {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF numbers are read as they lie");

enum class ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

/// ggml_type numbers of the types that are read here (ggml.h).
std::optional<StorageType> storageTypeOf(uint32_t ggmlType)
{
    switch (ggmlType) {
    case 0:
        return StorageType::f32;
    case 1:
        return StorageType::f16;
    case 2:
        return StorageType::q4_0;
    case 3:
        return StorageType::q4_1;
    case 6:
        return StorageType::q5_0;
    case 7:
        return StorageType::q5_1;
    case 8:
        return StorageType::q8_0;
    case 12:
        return StorageType::q4_k;
    case 13:
        return StorageType::q5_k;
    case 14:
        return StorageType::q6_k;
    case 30:
        return StorageType::bf16;
    default:
        return {};
    }
}

/// Names of the ggml types, for messages about those that are not read.
std::string ggmlTypeName(uint32_t type)
{
    constexpr std::array<std::string_view, 40> names = { "F32", "F16", "Q4_0", "Q4_1", "Q4_2", "Q4_3", "Q5_0", "Q5_1",
        "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S",
        "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8", "I16", "I32", "I64", "F64", "IQ1_M", "BF16", "Q4_0_4_4", "Q4_0_4_8",
        "Q4_0_8_8", "TQ1_0", "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4" };
    return type < names.size() ? std::string(names[type]) : "number " + std::to_string(type);
}

/// Bytes of the smallest possible element of an array, so that a count can be checked before anything is allocated.
size_t leastSize(ValueType type)
{
    switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
        return 1;
    case ValueType::u16:
    case ValueType::i16:
        return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
        return 4;
    default:
        return 8;
    }
}

/// Reads numbers and strings one after another. Running past the end makes it fail once and for all; what it then
/// returns is empty.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes)
        : m_bytes(bytes)
    {
    }

    template <class T> T number()
    {
        T value {};
        if (const auto bytes = take(sizeof value); !bytes.empty())
            std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }

    std::string text()
    {
        const auto bytes = take(number<uint64_t>());
        return { reinterpret_cast<const char*>(bytes.data()), bytes.size() };
    }

    bool failed() const { return m_failed; }
    size_t position() const { return m_position; }
    size_t remaining() const { return m_bytes.size() - m_position; }

private:
    std::span<const std::byte> take(uint64_t count)
    {
        m_failed = m_failed || count > remaining();
        if (m_failed)
            return {};
        m_position += count;
        return m_bytes.subspan(m_position - count, count);
    }

    std::span<const std::byte> m_bytes;
    size_t m_position = 0;
    bool m_failed = false;
};

/// Any whole number as int64_t; `wide` is set when an unsigned one does not fit.
int64_t readInteger(ByteReader& reader, ValueType type, bool& wide)
{
    switch (type) {
    case ValueType::u8:
    case ValueType::boolean:
        return reader.number<uint8_t>();
    case ValueType::i8:
        return reader.number<int8_t>();
    case ValueType::u16:
        return reader.number<uint16_t>();
    case ValueType::i16:
        return reader.number<int16_t>();
    case ValueType::u32:
        return reader.number<uint32_t>();
    case ValueType::i32:
        return reader.number<int32_t>();
    default: {
        const auto value = reader.number<int64_t>();
        wide = wide || (type == ValueType::u64 && value < 0);
        return value;
    }
    }
}

bool isReal(ValueType type)
{
    return type == ValueType::f32 || type == ValueType::f64;
}

double readReal(ByteReader& reader, ValueType type)
{
    return type == ValueType::f32 ? reader.number<float>() : reader.number<double>();
}

} // namespace

struct GgufFile::State {
    std::filesystem::path path;
    MappedFile file;
    std::map<std::string, Value, std::less<>> metadata;
    std::vector<TensorInfo> tensors;
    std::vector<std::span<const std::byte>> data;
};

/// Fills a State from the file's bytes; the file is hostile until checked.
class GgufFile::Parser {
public:
    explicit Parser(State& state)
        : m_state(state)
        , m_reader(state.file.bytes())
    {
    }

    Result<void> readMetadata()
    {
        if (m_reader.number<uint32_t>() != 0x46554747) // "GGUF"
            return refuse("is not a GGUF file (it does not begin with \"GGUF\")");
        const auto version = m_reader.number<uint32_t>();
        if ((version & 0xffff) == 0 && version != 0)
            return refuse("is a big-endian GGUF file; take the little-endian one");
        if (version != 2 && version != 3)
            return refuse("has GGUF version " + std::to_string(version) + "; versions 2 and 3 are read");
        m_tensorCount = m_reader.number<uint64_t>();
        const auto keys = m_reader.number<uint64_t>();
        for (uint64_t i = 0; i < keys; ++i) {
            if (auto read = readPair(); !read)
                return read;
        }
        return m_reader.failed() ? cutShort() : Result<void> {};
    }

    Result<void> readTensors()
    {
        const auto alignment = m_state.metadata.find("general.alignment");
        if (alignment != m_state.metadata.end()) {
            const auto* value = std::get_if<int64_t>(&alignment->second);
            if (!value || *value < 1 || *value > (1 << 30) || !std::has_single_bit(static_cast<uint64_t>(*value)))
                return refuse("has a general.alignment that is not a power of two");
            m_alignment = *value;
        }
        std::set<std::string> names;
        std::vector<uint64_t> offsets;
        for (uint64_t i = 0; i < m_tensorCount; ++i) {
            if (auto read = readTensor(offsets); !read)
                return read;
            if (const auto& name = m_state.tensors.back().name; !names.insert(name).second)
                return refuse("has two tensors named \"" + name + "\"");
        }
        return placeTensors(offsets);
    }

private:
    tl::unexpected<Error> refuse(const std::string& reason) const
    {
        return failure(m_state.path.string() + " " + reason + ".");
    }

    tl::unexpected<Error> cutShort() const
    {
        return refuse("is damaged or cut short: a length in its header points past its end ("
            + std::to_string(m_state.file.bytes().size()) + " bytes); download it again");
    }

    Result<void> readPair()
    {
        std::string key = m_reader.text();
        const auto type = static_cast<ValueType>(m_reader.number<uint32_t>());
        if (m_reader.failed())
            return cutShort();
        if (type > ValueType::f64)
            return refuse("has a value of unknown type " + std::to_string(static_cast<uint32_t>(type)) + " under \""
                + key + "\"");
        auto value = type == ValueType::array ? readArray(key) : readValue(type);
        if (!value)
            return tl::unexpected(value.error());
        if (m_reader.failed())
            return cutShort();
        const auto [place, isNew] = m_state.metadata.emplace(std::move(key), std::move(*value));
        if (!isNew)
            return refuse("has the key \"" + place->first + "\" twice");
        return {};
    }

    Result<Value> readValue(ValueType type)
    {
        if (type == ValueType::string)
            return m_reader.text();
        if (type == ValueType::boolean)
            return m_reader.number<uint8_t>() != 0;
        if (isReal(type))
            return readReal(m_reader, type);
        bool wide = false;
        const int64_t value = readInteger(m_reader, type, wide);
        return wide ? Value(static_cast<double>(static_cast<uint64_t>(value))) : Value(value);
    }

    Result<Value> readArray(const std::string& key)
    {
        const auto type = static_cast<ValueType>(m_reader.number<uint32_t>());
        const auto count = m_reader.number<uint64_t>();
        if (type > ValueType::f64 || type == ValueType::array)
            return refuse("has an array of arrays or of an unknown type under \"" + key + "\"");
        if (count > m_reader.remaining() / leastSize(type))
            return cutShort();
        if (type == ValueType::string) {
            std::vector<std::string> texts;
            texts.reserve(count);
            for (uint64_t i = 0; i < count && !m_reader.failed(); ++i)
                texts.push_back(m_reader.text());
            return Array(std::move(texts));
        }
        if (isReal(type)) {
            std::vector<double> numbers(count);
            std::ranges::generate(numbers, [&] { return readReal(m_reader, type); });
            return Array(std::move(numbers));
        }
        bool wide = false;
        std::vector<int64_t> integers(count);
        std::ranges::generate(integers, [&] { return readInteger(m_reader, type, wide); });
        if (wide)
            return refuse("has a number over 2^63 under \"" + key + "\"");
        return Array(std::move(integers));
    }

    /// One row of the tensor table; its offset is checked when all are known.
    Result<void> readTensor(std::vector<uint64_t>& offsets)
    {
        TensorInfo tensor;
        tensor.name = m_reader.text();
        const auto dimensions = m_reader.number<uint32_t>();
        if (m_reader.failed())
            return cutShort();
        if (tensor.name.empty() || tensor.name.size() > 64 || dimensions > 4)
            return refuse(
                "has a damaged tensor table: a name is longer than 64 bytes or a tensor has more than 4 dimensions");
        for (uint32_t i = 0; i < dimensions; ++i)
            tensor.shape.insert(tensor.shape.begin(), m_reader.number<int64_t>());
        const auto type = m_reader.number<uint32_t>();
        offsets.push_back(m_reader.number<uint64_t>());
        if (m_reader.failed())
            return cutShort();
        const auto known = storageTypeOf(type);
        if (!known)
            return refuse("holds \"" + tensor.name + "\" as " + ggmlTypeName(type)
                + ", which is not read; take a file with F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K or "
                  "Q6_K");
        tensor.type = *known;
        if (!storedBytes(tensor))
            return refuse("has a tensor \"" + tensor.name + "\" of impossible shape " + shapeText(tensor.shape)
                + " for " + std::string(storageTypeName(tensor.type)));
        m_state.tensors.push_back(std::move(tensor));
        return {};
    }

    /// ggml demands that tensors follow one another in the order of the table, each padded to the alignment.
    Result<void> placeTensors(const std::vector<uint64_t>& offsets)
    {
        const auto file = m_state.file.bytes();
        const auto begin = static_cast<int64_t>(m_reader.position());
        const int64_t dataStart = (begin + m_alignment - 1) / m_alignment * m_alignment;
        int64_t end = 0; // of the last tensor, from dataStart
        std::vector<int64_t> sizes;
        for (size_t i = 0; i < offsets.size(); ++i) {
            const int64_t size = storedBytes(m_state.tensors[i]).value_or(0);
            const int64_t expected = end + (m_alignment - end % m_alignment) % m_alignment;
            if (offsets[i] != static_cast<uint64_t>(expected))
                return refuse("is damaged: tensor \"" + m_state.tensors[i].name + "\" begins at "
                    + std::to_string(offsets[i]) + ", not at " + std::to_string(expected));
            if (size > std::numeric_limits<int64_t>::max() / 2 - expected)
                return refuse("is damaged: its tensors are larger than any disk");
            end = expected + size;
            sizes.push_back(size);
        }
        if (!offsets.empty() && dataStart + end > static_cast<int64_t>(file.size()))
            return refuse("is cut short: " + std::to_string(file.size()) + " of " + std::to_string(dataStart + end)
                + " bytes are there; download it again");
        for (size_t i = 0; i < offsets.size(); ++i)
            m_state.data.push_back(
                file.subspan(static_cast<size_t>(dataStart) + offsets[i], static_cast<size_t>(sizes[i])));
        return {};
    }

    State& m_state;
    ByteReader m_reader;
    uint64_t m_tensorCount = 0;
    int64_t m_alignment = 32;
};

Result<GgufFile> GgufFile::openMetadata(const std::filesystem::path& path)
{
    return load(path, Parts::metadata);
}

Result<GgufFile> GgufFile::open(const std::filesystem::path& path)
{
    return load(path, Parts::all);
}

Result<GgufFile> GgufFile::load(const std::filesystem::path& path, Parts parts)
{
    auto file = openWeightFile(path);
    if (!file)
        return tl::unexpected(file.error());
    auto state = std::make_unique<State>(State { path, std::move(*file), {}, {}, {} });
    Parser parser(*state);
    auto read = parser.readMetadata();
    if (read && parts == Parts::all)
        read = parser.readTensors();
    if (!read)
        return tl::unexpected(read.error());
    return GgufFile(std::move(state));
}

GgufFile::GgufFile(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

namespace {

template <class T> const T* valueAs(const GgufFile::Value* value)
{
    return value ? std::get_if<T>(value) : nullptr;
}

template <class T> const std::vector<T>* arrayOf(const GgufFile::Value* value)
{
    const auto* array = valueAs<GgufFile::Array>(value);
    return array ? std::get_if<std::vector<T>>(array) : nullptr;
}

template <class T> std::optional<T> copyOf(const T* value)
{
    return value ? std::optional<T>(*value) : std::nullopt;
}

} // namespace

const GgufFile::Value* GgufFile::find(std::string_view key) const
{
    const auto place = m_state->metadata.find(key);
    return place == m_state->metadata.end() ? nullptr : &place->second;
}

std::optional<std::string> GgufFile::text(std::string_view key) const
{
    return copyOf(valueAs<std::string>(find(key)));
}

std::optional<int64_t> GgufFile::integer(std::string_view key) const
{
    return copyOf(valueAs<int64_t>(find(key)));
}

std::optional<double> GgufFile::number(std::string_view key) const
{
    if (const auto whole = integer(key))
        return static_cast<double>(*whole);
    return copyOf(valueAs<double>(find(key)));
}

std::optional<bool> GgufFile::flag(std::string_view key) const
{
    return copyOf(valueAs<bool>(find(key)));
}

const std::vector<std::string>* GgufFile::texts(std::string_view key) const
{
    return arrayOf<std::string>(find(key));
}

const std::vector<int64_t>* GgufFile::integers(std::string_view key) const
{
    return arrayOf<int64_t>(find(key));
}

const std::vector<double>* GgufFile::numbers(std::string_view key) const
{
    return arrayOf<double>(find(key));
}

const TensorInfo* GgufFile::findTensor(std::string_view name) const
{
    const auto place = std::ranges::find(tensors(), name, &TensorInfo::name);
    return place == tensors().end() ? nullptr : &*place;
}

std::span<const TensorInfo> GgufFile::tensors() const
{
    return m_state->tensors;
}

std::span<const std::byte> GgufFile::bytes(size_t tensor) const
{
    return m_state->data[tensor];
}

const std::filesystem::path& GgufFile::path() const
{
    return m_state->path;
}

} // namespace tunebench
