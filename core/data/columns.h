#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

namespace tunebench {

/// Column names in the order in which they first appear.
class Columns {
public:
    void add(const std::vector<std::string>& names)
    {
        for (const auto& name : names) {
            if (m_names.size() < most && m_known.insert(name).second)
                m_names.push_back(name);
        }
    }

    const std::vector<std::string>& names() const { return m_names; }

    static std::vector<std::string> of(const nlohmann::ordered_json& row)
    {
        std::vector<std::string> names;
        for (const auto& [key, value] : row.items())
            names.push_back(key);
        return names;
    }

private:
    static constexpr size_t most = 1000; ///< more are no table, and nobody reads them
    std::unordered_set<std::string> m_known;
    std::vector<std::string> m_names;
};

} // namespace tunebench
