#include "ui/data/row_search.h"

#include <algorithm>

namespace tunebench {

namespace {

/// Looks for rows one after another and keeps the first of all and the first behind a place.
class Search {
public:
    explicit Search(size_t after)
        : m_after(after)
    {
    }

    void add(size_t row)
    {
        m_first = std::min(m_first.value_or(row), row);
        if (row > m_after) {
            m_next = std::min(m_next.value_or(row), row);
        }
    }

    std::optional<size_t> found() const { return m_next ? m_next : m_first; }

private:
    size_t m_after;
    std::optional<size_t> m_first, m_next;
};

/// Adds the rows with tokens whose extent is wanted: those that were refused before stand between them.
template <class Wanted> void addRows(Search& search, const DatasetInspection& inspection, Wanted wanted)
{
    size_t row = 0;
    auto refused = inspection.refused.begin();
    for (const RowExtent& extent : inspection.extents) {
        for (; refused != inspection.refused.end() && refused->row == row; ++refused) {
            ++row;
        }
        if (wanted(extent)) {
            search.add(row);
        }
        ++row;
    }
}

} // namespace

std::optional<size_t> nextLosingRow(const AnalysedData& data, const RunConfig& config, size_t after)
{
    Search search(after);
    if (config.truncation != Truncation::drop) {
        addRows(search, data.inspection,
            [&config](const RowExtent& extent) { return losesAnswer(extent, config.maxLength, config.truncation); });
    }
    return search.found();
}

std::optional<size_t> nextRefusedRow(const AnalysedData& data, const RunConfig& config, size_t after)
{
    Search search(after);
    for (const RefusedRow& row : data.inspection.refused) {
        search.add(row.row);
    }
    addRows(search, data.inspection,
        [&config](const RowExtent& extent) { return !truncatedExtent(extent, config.maxLength, config.truncation); });
    return search.found();
}

} // namespace tunebench
