#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// Reads the fields of one component of tokenizer.json. A field of the wrong type is an error that names both.
class ComponentReader {
public:
    /// `role` is "normalizer", "decoder", ...
    static Result<ComponentReader> open(const nlohmann::json& json, std::string role);

    const std::string& type() const { return m_type; }
    Result<bool> flag(const char* key, bool fallback) const;
    Result<std::string> text(const char* key) const;
    Result<std::string> text(const char* key, std::string fallback) const;
    /// A string that must be one character.
    Result<std::string> character(const char* key, std::string fallback) const;
    Result<size_t> count(const char* key) const;
    Result<const nlohmann::json*> list(const char* key) const;
    const nlohmann::json& member(const char* key) const;

    tl::unexpected<Error> wrong(std::string_view key, std::string_view expected) const;
    /// `known` lists the types that we have.
    tl::unexpected<Error> unknownType(std::string_view known) const;

private:
    ComponentReader(const nlohmann::json& json, std::string role, std::string type);

    const nlohmann::json* m_json;
    std::string m_role;
    std::string m_type;
};

/// The components of a Sequence (nested ones too) in their order, or the component itself; nothing for null.
Result<std::vector<ComponentReader>> flattenSequence(
    const nlohmann::json& json, const std::string& role, const char* listKey);

} // namespace tunebench
