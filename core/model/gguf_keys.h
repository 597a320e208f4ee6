#pragma once

#include "core/model/gguf.h"

namespace tunebench {

/// Reads `<architecture>.<key>` numbers. The first one that is missing or wrong stays.
class GgufKeys {
public:
    GgufKeys(const GgufFile& file, std::string_view architecture)
        : m_file(file)
        , m_prefix(std::string(architecture) + ".")
    {
    }

    /// The list under a key, or nullptr.
    const std::vector<int64_t>* integers(const std::string& key) const { return m_file.integers(m_prefix + key); }

    int64_t integer(const std::string& key, std::optional<int64_t> fallback = {})
    {
        return value(key, fallback, m_file.integer(m_prefix + key));
    }

    double number(const std::string& key, std::optional<double> fallback = {})
    {
        return value(key, fallback, m_file.number(m_prefix + key));
    }

    std::string text(const std::string& key, const std::string& fallback)
    {
        return value(key, std::optional(fallback), m_file.text(m_prefix + key));
    }

    /// Notes a key whose value asks for something that is not known.
    void refuse(const std::string& key, const std::string& reason)
    {
        if (m_problem.empty())
            m_problem = m_file.path().string() + " has a \"" + m_prefix + key + "\" " + reason + ".";
    }

    const std::string& problem() const { return m_problem; }

private:
    template <class T> T value(const std::string& key, const std::optional<T>& fallback, const std::optional<T>& found)
    {
        if (found)
            return *found;
        if (m_file.find(m_prefix + key))
            refuse(key, "of a kind that is not known");
        else if (!fallback && m_problem.empty())
            m_problem = m_file.path().string() + " lacks the key \"" + m_prefix + key + "\".";
        return fallback.value_or(T {});
    }

    const GgufFile& m_file;
    std::string m_prefix;
    std::string m_problem;
};

} // namespace tunebench
