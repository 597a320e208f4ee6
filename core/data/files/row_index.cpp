#include "core/data/files/row_index.h"

#include "core/data/files/text_checks.h"

#include <algorithm>

namespace tunebench {
namespace {

constexpr size_t maxProblems = 100'000;

} // namespace

void RowIndex::add(const RowPlace& place, std::string_view problem)
{
    if (!problem.empty())
        m_problems.emplace(m_places.size(), problem);
    m_places.push_back(place);
}

void RowIndex::append(const std::vector<RowPlace>& places, size_t linesBefore)
{
    for (RowPlace place : places) {
        place.line += linesBefore;
        m_places.push_back(place);
    }
}

void RowIndex::dropLast()
{
    m_places.pop_back();
    m_problems.erase(m_places.size());
}

RawRow RowIndex::row(std::string_view content, size_t index) const
{
    const RowPlace& place = m_places[index];
    const auto problem = m_problems.find(index);
    return { content.substr(place.begin, place.size), place.line, place.column,
        problem == m_problems.end() ? std::string_view() : problem->second };
}

bool RowIndex::isTooDamaged() const
{
    return m_problems.size() >= maxProblems;
}

TextPlace placeOf(const RawRow& row, size_t at)
{
    const std::string_view before = row.text.substr(0, at);
    const auto lines = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    if (lines == 0)
        return { row.line, row.column + at };
    return { row.line + lines, at - before.rfind('\n') };
}

std::string inWords(TextPlace place)
{
    return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

std::string textProblem(const RawRow& row)
{
    if (const size_t bad = firstInvalidUtf8(row.text); bad != std::string_view::npos) {
        const TextPlace place = placeOf(row, bad);
        return "not UTF-8 at line " + std::to_string(place.line) + ", byte " + std::to_string(place.column)
            + "; save the file as UTF-8";
    }
    return {};
}

std::string plainTextProblem(const RawRow& row)
{
    const size_t zero = row.text.find('\0');
    return zero == std::string_view::npos ? textProblem(row)
                                          : "a zero byte, which no text has, stands at " + inWords(placeOf(row, zero));
}

} // namespace tunebench
