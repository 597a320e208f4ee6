#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tunebench {

/// Reads the fields of a JSON object. The first problem stays, and what is read after it does not matter.
class ConfigFields {
public:
    using json = nlohmann::json;

    /// `where` begins the sentence that goes into `problem`. Object and problem must outlive the reader.
    ConfigFields(const json& object, std::string where, std::optional<std::string>& problem)
        : m_object(object)
        , m_where(std::move(where))
        , m_problem(problem)
    {
    }

    /// Reads another object of the same file.
    ConfigFields inside(const json& object) const { return { object, m_where, m_problem }; }

    bool has(const char* key) const { return m_object.contains(key); }

    /// The value, or nullptr where it is missing or null.
    const json* find(const char* key) const
    {
        const auto place = m_object.find(key);
        return place == m_object.end() || place->is_null() ? nullptr : &*place;
    }

    int64_t integer(const char* key, std::optional<int64_t> fallback = {})
    {
        return value<int64_t>(key, fallback, &json::is_number_integer, "a whole number");
    }

    double number(const char* key, std::optional<double> fallback = {})
    {
        return value<double>(key, fallback, &json::is_number, "a number");
    }

    bool flag(const char* key, bool fallback) { return value<bool>(key, fallback, &json::is_boolean, "true or false"); }

    std::string text(const char* key, std::optional<std::string> fallback = {})
    {
        return value<std::string>(key, std::move(fallback), &json::is_string, "text");
    }

    std::vector<double> numbers(const char* key) { return list<double>(key, &json::is_number, "numbers"); }

    std::vector<std::string> texts(const char* key) { return list<std::string>(key, &json::is_string, "texts"); }

    /// The object there, or an empty one where it is missing, null or empty.
    json object(const char* key)
    {
        const json* found = find(key);
        if (found && !found->is_object())
            refuse(std::string("has a \"") + key + "\" that is not an object");
        return found && found->is_object() ? *found : json::object();
    }

    /// Notes what the value of a field asks for in vain: "<where> <reason>.".
    void refuse(const std::string& reason)
    {
        if (!m_problem)
            m_problem = m_where + " " + reason + ".";
    }

private:
    using Kind = bool (json::*)() const noexcept;

    template <class T> T value(const char* key, std::optional<T> fallback, Kind hasKind, const char* kind)
    {
        const json* found = find(key);
        if (!found && fallback)
            return *fallback;
        if (!found)
            refuse(std::string("has no \"") + key + "\"");
        else if (!(found->*hasKind)())
            refuse(std::string("has a \"") + key + "\" that is not " + kind);
        else
            return found->get<T>();
        return {};
    }

    template <class T> std::vector<T> list(const char* key, Kind hasKind, const char* kind)
    {
        std::vector<T> items;
        const json* found = find(key);
        if (!found)
            refuse(std::string("has no \"") + key + "\"");
        else if (!found->is_array())
            refuse(std::string("has a \"") + key + "\" that is not a list");
        for (size_t i = 0; found && found->is_array() && i < found->size(); ++i) {
            const json& item = (*found)[i];
            if (!(item.*hasKind)()) {
                refuse(std::string("has a \"") + key + "\" that is not a list of " + kind);
                return {};
            }
            items.push_back(item.get<T>());
        }
        return items;
    }

    const json& m_object;
    std::string m_where;
    std::optional<std::string>& m_problem;
};

} // namespace tunebench
