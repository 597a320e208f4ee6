#include "core/data/refusals.h"

#include <algorithm>
#include <unordered_map>

namespace tunebench {
namespace {

constexpr size_t maxReasons = 5;
constexpr size_t shownRows = 5;

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

std::vector<RefusalGroup> groupRefusals(std::span<const RefusedRow> refused)
{
    std::vector<RefusalGroup> groups;
    std::unordered_map<std::string, size_t> byReason;
    for (const auto& row : refused) {
        const auto [at, isNew] = byReason.try_emplace(withoutNumbers(row.reason), groups.size());
        if (isNew)
            groups.push_back({ row.reason, 0, {} });
        RefusalGroup& group = groups[at->second];
        if (group.count++ < shownRows)
            group.first.push_back(&row);
    }
    std::stable_sort(
        groups.begin(), groups.end(), [](const RefusalGroup& a, const RefusalGroup& b) { return a.count > b.count; });
    return groups;
}

std::string refusalPlaces(const RefusalGroup& group, bool oneFile)
{
    std::string words = group.first.size() == 1 && oneFile ? "line " : oneFile ? "lines " : "";
    for (const RefusedRow* row : group.first) {
        words += row == group.first.front() ? "" : ", ";
        words += (oneFile ? "" : row->file + " line ") + std::to_string(row->line);
    }
    return words + (group.count > group.first.size() ? ", ..." : "");
}

std::string refusalSummary(std::span<const RefusedRow> refused)
{
    if (refused.empty())
        return "there are no rows";
    const auto groups = groupRefusals(refused);
    const bool oneFile = std::all_of(
        refused.begin(), refused.end(), [&](const auto& row) { return row.file == refused.front().file; });
    std::string words;
    for (size_t i = 0; i < std::min(groups.size(), maxReasons); ++i) {
        const RefusedRow& row = *groups[i].first.front();
        const std::string file = oneFile ? "" : row.file + ", ";
        words += (i > 0 ? "; " : "") + std::to_string(groups[i].count) + " x " + groups[i].reason + " (first at " + file
            + "line " + std::to_string(row.line) + ")";
    }
    if (groups.size() > maxReasons)
        words += "; and " + std::to_string(groups.size() - maxReasons) + " more reasons";
    return words;
}

} // namespace tunebench
