#include "core/data/refusals.h"

#include <algorithm>
#include <map>

namespace tunebench {
namespace {

constexpr size_t maxReasons = 5;

struct Group {
    size_t count = 0;
    const RefusedRow* first = nullptr;
};

std::string withoutNumbers(std::string_view reason)
{
    std::string key;
    for (const char c : reason) {
        if (c < '0' || c > '9')
            key += c;
    }
    return key;
}

} // namespace

std::string refusalSummary(std::span<const RefusedRow> refused)
{
    std::map<std::string, Group> byReason;
    for (const auto& row : refused) {
        Group& group = byReason[withoutNumbers(row.reason)];
        if (group.count++ == 0)
            group.first = &row;
    }
    std::vector<Group> groups;
    for (const auto& [reason, group] : byReason)
        groups.push_back(group);
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.count > b.count; });

    const bool oneFile = std::all_of(
        refused.begin(), refused.end(), [&](const auto& row) { return row.file == refused.front().file; });
    std::string words;
    for (size_t i = 0; i < std::min(groups.size(), maxReasons); ++i) {
        const RefusedRow& row = *groups[i].first;
        const std::string file = oneFile ? "" : row.file + ", ";
        words += (i > 0 ? "; " : "") + std::to_string(groups[i].count) + " x " + row.reason + " (first at " + file
            + "line " + std::to_string(row.line) + ")";
    }
    if (groups.size() > maxReasons)
        words += "; and " + std::to_string(groups.size() - maxReasons) + " more reasons";
    return words;
}

} // namespace tunebench
