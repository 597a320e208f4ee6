#pragma once

#include <QByteArray>
#include <QFile>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

/// Writes a GGUF file that has metadata and no tensors. Types follow JSON: strings, booleans, unsigned integers (u32)
/// and arrays of strings, of floats (f32) and of integers (i32).
class GgufWriter {
public:
    static bool write(const QString& path, const nlohmann::ordered_json& metadata)
    {
        GgufWriter writer;
        writer.m_bytes += "GGUF";
        writer.put(uint32_t { 3 });
        writer.put(uint64_t { 0 });
        writer.put(static_cast<uint64_t>(metadata.size()));
        for (const auto& [key, value] : metadata.items()) {
            writer.text(key);
            writer.value(value);
        }
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(writer.m_bytes) == writer.m_bytes.size();
    }

private:
    enum Type : uint32_t { u32 = 4, i32 = 5, f32 = 6, boolean = 7, string = 8, array = 9 };

    template <class T> void put(T number) { m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number); }

    void text(const std::string& text)
    {
        put(static_cast<uint64_t>(text.size()));
        m_bytes.append(text.data(), static_cast<qsizetype>(text.size()));
    }

    static Type typeOf(const nlohmann::ordered_json& value, bool inArray)
    {
        return value.is_string()      ? string
            : value.is_boolean()      ? boolean
            : value.is_number_float() ? f32
            : inArray                 ? i32
                                      : u32;
    }

    void scalar(const nlohmann::ordered_json& value, Type type)
    {
        switch (type) {
        case string:
            return text(value.get<std::string>());
        case boolean:
            return put(static_cast<uint8_t>(value.get<bool>()));
        case f32:
            return put(value.get<float>());
        default:
            return put(value.get<int32_t>());
        }
    }

    void value(const nlohmann::ordered_json& value)
    {
        if (!value.is_array()) {
            const Type type = typeOf(value, false);
            put(static_cast<uint32_t>(type));
            return scalar(value, type);
        }
        const Type type = value.empty() ? string : typeOf(value.front(), true);
        put(static_cast<uint32_t>(array));
        put(static_cast<uint32_t>(type));
        put(static_cast<uint64_t>(value.size()));
        for (const auto& element : value) {
            scalar(element, type);
        }
    }

    QByteArray m_bytes;
};
