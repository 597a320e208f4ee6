#include "core/model/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <set>

namespace tunebench {
namespace {

std::optional<StorageType> plainType(std::string_view name)
{
    using enum StorageType;
    for (const StorageType type : { f32, f16, bf16, i64, i32, u8, boolean }) {
        if (storageTypeName(type) == name)
            return type;
    }
    return {};
}

/// Takes the header's tokens as nlohmann's parser meets them: {name: {dtype, shape, data_offsets}}, and
/// {"__metadata__": {key: text}}.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
    SafetensorsHeader header;
    std::string problem;

    bool start_object(size_t) override
    {
        if (m_inArray || m_depth == 2)
            return refuse("has a header with values that the format does not have");
        ++m_depth;
        m_fields.clear();
        m_offsets.clear();
        m_entry = {};
        return true;
    }

    bool key(string_t& name) override
    {
        if (m_depth == 1) {
            m_name = name;
            m_field.clear();
            return m_names.insert(name).second || refuse("names \"" + name + "\" twice");
        }
        m_field = name;
        if (!m_fields.insert(name).second)
            return refuse("gives \"" + name + "\" of \"" + m_name + "\" twice");
        if (!inMetadata() && name != "dtype" && name != "shape" && name != "data_offsets")
            return refuse("gives \"" + m_name + "\" an unknown property \"" + name + "\"");
        return true;
    }

    bool string(string_t& value) override
    {
        if (m_depth == 2 && inMetadata()) {
            header.metadata.emplace(m_field, value);
            return true;
        }
        if (m_depth != 2 || m_inArray || m_field != "dtype")
            return wrongValue();
        const auto type = plainType(value);
        if (!type)
            return refuse(
                "holds \"" + m_name + "\" as " + value + ", which is not read; take a model saved as F32, F16 or BF16");
        m_entry.tensor.type = *type;
        return true;
    }

    bool start_array(size_t) override
    {
        if (m_depth != 2 || inMetadata() || m_inArray || m_field == "dtype")
            return wrongValue();
        m_inArray = true;
        return true;
    }

    bool end_array() override
    {
        m_inArray = false;
        return true;
    }

    bool number_unsigned(number_unsigned_t value) override
    {
        if (!m_inArray || value > INT64_MAX)
            return wrongValue();
        if (m_field == "shape")
            m_entry.tensor.shape.push_back(static_cast<int64_t>(value));
        else
            m_offsets.push_back(value);
        constexpr size_t mostDimensions = 16;
        return (m_entry.tensor.shape.size() <= mostDimensions && m_offsets.size() <= 2) || wrongValue();
    }

    bool end_object() override
    {
        if (--m_depth == 0 || inMetadata())
            return true;
        if (m_fields.size() != 3 || m_offsets.size() != 2)
            return refuse("does not say type, shape and place of \"" + m_name + "\"");
        m_entry.tensor.name = m_name;
        m_entry.begin = m_offsets[0];
        m_entry.end = m_offsets[1];
        header.entries.push_back(std::move(m_entry));
        return true;
    }

    bool null() override { return wrongValue(); }
    bool boolean(bool) override { return wrongValue(); }
    bool number_integer(number_integer_t) override { return wrongValue(); }
    bool number_float(number_float_t, const string_t&) override { return wrongValue(); }
    bool binary(binary_t&) override { return wrongValue(); }
    bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override
    {
        return refuse("has a header that is not JSON (byte " + std::to_string(position) + ")");
    }

private:
    bool inMetadata() const { return m_name == "__metadata__"; }

    bool wrongValue()
    {
        return refuse("has a wrong value for \"" + (m_field.empty() ? m_name : m_field) + "\" in its header");
    }

    bool refuse(std::string reason)
    {
        problem = std::move(reason);
        return false;
    }

    int m_depth = 0; ///< open objects
    bool m_inArray = false;
    std::string m_name; ///< key at depth 1
    std::string m_field; ///< key at depth 2
    std::set<std::string> m_names;
    std::set<std::string> m_fields; ///< of the object at depth 2
    std::vector<uint64_t> m_offsets;
    SafetensorsHeader::Entry m_entry;
};

} // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json)
{
    HeaderReader reader;
    if (!nlohmann::json::sax_parse(json, &reader))
        return failure(reader.problem.empty() ? "has a header that is not JSON" : reader.problem);
    return std::move(reader.header);
}

} // namespace tunebench
