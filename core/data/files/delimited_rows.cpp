#include "core/data/files/delimited_rows.h"

#include "core/data/files/text_checks.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace tunebench {
namespace {

constexpr size_t sampleBytes = size_t { 1 } << 20; // to find the separator in
constexpr size_t sampleRows = 100;
constexpr size_t maxColumns = 1024;
constexpr size_t maxRecoveries = 16; // each may have read to the end of the file in vain
constexpr size_t passedAtOnce = size_t { 16 } << 20;

bool isLineEnd(char c)
{
    return c == '\n' || c == '\r';
}

struct RowEnd {
    size_t place = 0; ///< of the line end, or the end of the text
    bool open = false; ///< a quote is not closed before that
};

/// Goes through the cells of the row that begins at a place; `onCell` gets each as it stands there.
template <class OnCell> RowEnd scanRow(std::string_view text, size_t at, char separator, OnCell onCell)
{
    for (;; ++at) {
        const size_t cell = at;
        if (at < text.size() && text[at] == '"') {
            for (++at;; at += 2) {
                at = text.find('"', at);
                if (at == std::string_view::npos)
                    return { text.size(), true };
                if (at + 1 >= text.size() || text[at + 1] != '"')
                    break;
            }
        }
        while (at < text.size() && text[at] != separator && !isLineEnd(text[at]))
            ++at;
        onCell(text.substr(cell, at - cell));
        if (at >= text.size() || text[at] != separator)
            return { at, false };
    }
}

size_t lineEndsIn(std::string_view text)
{
    auto ends = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    for (size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        ends += at + 1 >= text.size() || text[at + 1] != '\n';
    return ends;
}

tl::expected<std::string, std::string> cellText(std::string_view cell)
{
    if (!cell.starts_with('"'))
        return std::string(cell);
    std::string text;
    for (size_t at = 1; at < cell.size(); ++at) {
        if (cell[at] == '"') {
            const std::string_view rest = cell.substr(at + 1);
            if (!rest.starts_with('"')) {
                if (isBlank(rest))
                    return text;
                const std::string_view line = std::string_view(text).substr(0, text.find_first_of("\r\n"));
                return tl::unexpected("the quoted cell \"" + std::string(cutToCharacter(line, 40))
                    + "\" goes on after its closing quote; double the quotes inside it");
            }
            ++at;
        }
        text += cell[at];
    }
    return tl::unexpected(std::string("a quoted cell is not closed"));
}

/// Skips blank lines and byte order marks.
size_t rowStart(std::string_view text, size_t at)
{
    for (;;) {
        if (text.substr(at).starts_with(byteOrderMark))
            at += byteOrderMark.size();
        const size_t first = text.find_first_not_of(" \t\f\v", at);
        if (first == std::string_view::npos)
            return text.size();
        if (!isLineEnd(text[first]))
            return at;
        at = first + 1;
    }
}

/// How well a separator fits: the share of rows with as many cells as the first, and that number.
std::pair<double, size_t> fitOf(std::string_view text, char separator)
{
    const bool cut = text.size() > sampleBytes;
    text = text.substr(0, sampleBytes);
    size_t columns = 0;
    size_t rows = 0;
    size_t fitting = 0;
    for (size_t at = rowStart(text, 0); at < text.size() && rows < sampleRows; at = rowStart(text, at)) {
        size_t cells = 0;
        const RowEnd end = scanRow(text, at, separator, [&](std::string_view) { ++cells; });
        if (cut && end.place >= text.size())
            break;
        if (columns == 0) {
            columns = cells;
        } else {
            ++rows;
            fitting += cells == columns && !end.open;
        }
        at = std::min(end.place + 1, text.size());
    }
    if (columns < 2)
        return { -1, 0 };
    return { rows == 0 ? 1.0 : static_cast<double>(fitting) / static_cast<double>(rows), columns };
}

char separatorOf(std::string_view text, char preferred)
{
    char best = preferred;
    auto bestFit = fitOf(text, preferred);
    for (const char separator : { ',', ';', '\t', '|' }) {
        const auto fit = fitOf(text, separator);
        if (fit > bestFit) {
            bestFit = fit;
            best = separator;
        }
    }
    return best;
}

/// A column's name without the white space around it, and the quotes that are no quotes behind a space.
std::string trimmedName(std::string_view name)
{
    constexpr std::string_view space = " \t\r\n";
    const auto trim = [](std::string_view text, std::string_view what) {
        const size_t first = std::min(text.find_first_not_of(what), text.size());
        return text.substr(first, text.find_last_not_of(what) + 1 - first);
    };
    name = trim(name, space);
    if (name.size() > 2 && name.front() == '"' && name.back() == '"')
        name = trim(name.substr(1, name.size() - 2), space);
    return std::string(name);
}

std::string nameOf(char separator)
{
    return separator == '\t' ? "tabs" : "\"" + std::string(1, separator) + "\"";
}

/// Finds the rows of a table, the first of which names the columns.
class TableSplitter {
public:
    TableSplitter(std::string_view text, const std::string& path, const SplitLimits& limits)
        : m_text(text)
        , m_path(path)
        , m_limits(limits)
    {
    }

    Result<DelimitedTable> run(char preferred)
    {
        moveTo(rowStart(m_text, 0));
        findSeparator(preferred);
        if (auto header = takeHeader(); !header)
            return tl::unexpected(header.error());
        for (moveTo(rowStart(m_text, m_at)); m_at < m_text.size() && !isEnough(); moveTo(rowStart(m_text, m_at)))
            takeRow();
        return std::move(m_table);
    }

private:
    bool isEnough() const { return m_table.rows.count() >= m_limits.maxRows || m_limits.stop.stop_requested(); }

    void moveTo(size_t place)
    {
        m_line += lineEndsIn(m_text.substr(m_at, place - m_at));
        m_at = place;
        if (m_limits.passed && m_at >= m_passed + passedAtOnce)
            m_limits.passed(std::exchange(m_passed, m_at), m_at);
    }

    /// Spreadsheets may say in a first line which separator they wrote.
    void findSeparator(char preferred)
    {
        const std::string_view rest = m_text.substr(m_at);
        if (rest.size() > 5 && rest.starts_with("sep=") && isLineEnd(rest[5])) {
            m_table.separator = rest[4];
            moveTo(rowStart(m_text, m_at + 5));
            return;
        }
        m_table.separator = separatorOf(rest, preferred);
        if (m_table.separator != preferred)
            m_table.notices.push_back(
                "The cells of " + m_path + " are separated by " + nameOf(m_table.separator) + ".");
    }

    Result<void> takeHeader()
    {
        const std::string place = "line " + std::to_string(m_line) + " of " + m_path;
        std::vector<std::string_view> cells;
        size_t count = 0;
        const RowEnd end = scanRow(m_text, m_at, m_table.separator, [&](std::string_view cell) {
            if (count++ < maxColumns)
                cells.push_back(cell);
        });
        if (end.open)
            return failure(
                "Cannot read " + m_path + ": a quoted column name in " + place + " is not closed; close it.");
        if (count > maxColumns)
            return failure("Cannot read " + m_path + ": " + place + " names " + std::to_string(count)
                + " columns, more than 1024; write a table of fewer.");
        std::unordered_set<std::string> known;
        for (const std::string_view cell : cells) {
            auto name = cellText(cell);
            if (!name || firstInvalidUtf8(*name) != std::string_view::npos)
                return failure("Cannot read " + m_path + ": in the column names in " + place + ", "
                    + (name ? "a byte is not UTF-8; save the file as UTF-8" : name.error()) + ".");
            if (auto added = addColumn(std::move(*name), known, place); !added)
                return added;
        }
        moveTo(end.place);
        return {};
    }

    Result<void> addColumn(std::string name, std::unordered_set<std::string>& known, const std::string& place)
    {
        name = trimmedName(name);
        if (isBlank(name)) {
            name = "column " + std::to_string(m_table.columns.size() + 1);
            m_table.notices.push_back(
                "A column of " + m_path + " has no name in " + place + "; it is called \"" + name + "\".");
        }
        if (!known.insert(name).second)
            return failure("Cannot read " + m_path + ": two columns are called \"" + name + "\" in " + place
                + "; give each its own name.");
        m_table.columns.push_back(std::move(name));
        return {};
    }

    void takeRow()
    {
        RowEnd end = scanRow(m_text, m_at, m_table.separator, [](std::string_view) {});
        std::string_view problem;
        if (end.open) {
            problem = "a quoted cell in it is not closed; close it";
            if (m_recoveries++ < maxRecoveries) // the rows after it are found again
                end.place = std::min(m_text.find_first_of("\r\n", m_at), m_text.size());
        }
        const size_t before = std::min(m_at, m_text.size());
        m_table.rows.add({ before, end.place - before, m_line, columnOf(before) }, problem);
        moveTo(end.place);
    }

    /// Rows begin where lines do, apart from a byte order mark.
    size_t columnOf(size_t at) const
    {
        return at >= byteOrderMark.size() && m_text.substr(at - byteOrderMark.size()).starts_with(byteOrderMark)
            ? byteOrderMark.size() + 1
            : 1;
    }

    std::string_view m_text;
    const std::string& m_path;
    const SplitLimits& m_limits;
    DelimitedTable m_table;
    size_t m_at = 0;
    size_t m_line = 1;
    size_t m_passed = 0;
    size_t m_recoveries = 0;
};

} // namespace

Result<DelimitedTable> splitDelimited(
    std::string_view text, char preferred, const std::string& path, const SplitLimits& limits)
{
    return TableSplitter(text, path, limits).run(preferred);
}

ParsedRow parseDelimitedRow(const RawRow& row, char separator, const std::vector<std::string>& columns)
{
    if (!row.problem.empty())
        return tl::unexpected(std::string(row.problem));
    if (auto problem = plainTextProblem(row); !problem.empty())
        return tl::unexpected(std::move(problem));
    auto object = nlohmann::ordered_json::object();
    size_t cells = 0;
    std::string problem;
    scanRow(row.text, 0, separator, [&](std::string_view cell) {
        if (cells < columns.size() && problem.empty()) {
            if (auto text = cellText(cell))
                object.emplace(columns[cells], std::move(*text));
            else
                problem = std::move(text.error());
        }
        ++cells;
    });
    if (cells != columns.size())
        return tl::unexpected("it has " + std::to_string(cells) + (cells == 1 ? " cell" : " cells")
            + ", the first row names " + std::to_string(columns.size()) + (columns.size() == 1 ? " column" : " columns")
            + "; quote cells that hold separators or line breaks");
    if (!problem.empty())
        return tl::unexpected(std::move(problem));
    return object;
}

} // namespace tunebench
