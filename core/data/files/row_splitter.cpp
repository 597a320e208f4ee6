#include "core/data/files/json_rows.h"
#include "core/data/files/line_splitter.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <utility>

namespace tunebench {
namespace {

constexpr size_t passedAtOnce = size_t { 16 } << 20; ///< bytes between two reports

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Finds where rows begin and end; what is inside them is the parser's business, apart from what shows that a row has
/// no end: an object that begins where none may begin, or a line break in a string.
class RowSplitter {
public:
    RowSplitter(std::string_view text, const SplitLimits& limits)
        : m_text(text)
        , m_limits(limits)
    {
    }

    RowIndex values()
    {
        for (skipBlanks(); m_at < m_text.size(); skipBlanks()) {
            if (isEnough())
                return std::move(m_rows);
            const char c = m_text[m_at];
            if (c == '[' && !m_inList) {
                m_inList = true;
                ++m_at;
            } else if (c == ']' && m_inList) {
                m_inList = false;
                ++m_at;
            } else if (c == ',' && m_inList) {
                ++m_at;
            } else if (c == '{' || c == '[') {
                takeNested();
            } else {
                takeOther();
            }
        }
        if (m_inList && !m_isCut)
            addRow(m_at, m_at, "the list has no closing ]; the file seems to be cut, get it again");
        return std::move(m_rows);
    }

private:
    /// What may come next inside an object or list, as far as it tells a row's end.
    enum class After { open, comma, colon, value };

    void addRow(size_t begin, size_t end, std::string_view problem = {})
    {
        moveTo(begin);
        m_rows.add({ begin, end - begin, m_line, begin - m_lineStart + 1 }, problem);
        if (m_limits.passed && begin >= m_passed + passedAtOnce)
            m_limits.passed(std::exchange(m_passed, begin), begin);
    }

    bool isEnough() const
    {
        return m_rows.count() >= m_limits.maxRows || m_rows.isTooDamaged() || m_limits.stop.stop_requested();
    }

    /// Goes on to a later place, counting lines.
    void moveTo(size_t place)
    {
        if (place <= m_at)
            return;
        const std::string_view passed = m_text.substr(m_at, place - m_at);
        if (passed.find('\n') != npos) {
            m_line += static_cast<size_t>(std::count(passed.begin(), passed.end(), '\n'));
            m_lineStart = m_at + passed.rfind('\n') + 1;
        }
        m_at = place;
    }

    void skipMark()
    {
        if (m_text.substr(m_at).starts_with(byteOrderMark))
            m_at += byteOrderMark.size();
    }

    void skipBlanks()
    {
        for (skipMark(); m_at < m_text.size() && isSpace(m_text[m_at]); skipMark())
            moveTo(m_at + 1);
    }

    void takeNested()
    {
        const size_t begin = m_at;
        std::string_view problem;
        size_t end = nestedEnd(begin, problem);
        m_isCut = end == m_text.size() && !problem.empty();
        if (!problem.empty())
            end = resumeAfter(begin, end);
        else if (!m_inList)
            end = withStrayComma(end);
        addRow(begin, end, problem);
        moveTo(end);
    }

    /// A number, a string or plain garbage: up to the end of its line, or to the next element.
    void takeOther()
    {
        const size_t begin = m_at;
        size_t end = begin + 1;
        if (m_text[begin] == '"') {
            const StringEnd string = stringEnd(begin);
            end = string.place;
            m_isCut = !string.closed && end == m_text.size();
        }
        while (end < m_text.size() && m_text[end] != '\n' && !(m_inList && (m_text[end] == ',' || m_text[end] == ']')))
            ++end;
        addRow(begin, end);
        moveTo(end);
    }

    struct StringEnd {
        size_t place; ///< past the closing quote; of a string that is not closed the end of its line
        bool closed;
    };

    StringEnd stringEnd(size_t quote) const
    {
        for (size_t from = quote + 1;; ++from) {
            const size_t closing = std::min(m_text.find('"', from), m_text.size());
            if (const size_t line = m_text.substr(from, closing - from).find('\n'); line != npos)
                return { from + line, false };
            if (closing == m_text.size())
                return { closing, false };
            size_t backslashes = 0;
            while (closing - backslashes > quote + 1 && m_text[closing - backslashes - 1] == '\\')
                ++backslashes;
            if (backslashes % 2 == 0)
                return { closing + 1, true };
            from = closing;
        }
    }

    /// Past the closing bracket of the object or list; with a problem, the place where it shows.
    size_t nestedEnd(size_t begin, std::string_view& problem) const
    {
        std::vector<bool> isObject; // the objects and lists that are open
        After after = After::colon;
        for (size_t i = begin; i < m_text.size();) {
            const char c = m_text[i];
            if (c == '"') {
                const StringEnd end = stringEnd(i);
                if (!end.closed && end.place < m_text.size()) {
                    problem = "a string in it is not closed in its line; close it, and write line breaks as \\n";
                    return end.place;
                }
                i = end.place;
                after = After::value;
                continue;
            }
            if (c == '{' || c == '[') {
                const bool mayBegin
                    = after == After::colon || (!isObject.back() && (after == After::open || after == After::comma));
                if (!mayBegin) {
                    problem = "it is not closed before the next one begins; close it";
                    return i;
                }
                isObject.push_back(c == '{');
                after = After::open;
            } else if (c == '}' || c == ']') {
                isObject.pop_back();
                if (isObject.empty())
                    return i + 1;
                after = After::value;
            } else if (c == ',') {
                after = After::comma;
            } else if (c == ':') {
                after = After::colon;
            } else if (!isSpace(c)) {
                after = After::value;
            }
            ++i;
        }
        problem = "the file ends inside it; get the file again, or take the row out";
        return m_text.size();
    }

    /// Where to look for rows again after one that has no end: the next line that begins with a brace, which is where
    /// writers put a row, or the place where the damage showed.
    size_t resumeAfter(size_t begin, size_t damage) const
    {
        if (const size_t line = m_text.substr(begin, damage - begin).find("\n{"); line != std::string_view::npos)
            return begin + line + 1;
        if (damage >= m_text.size() || m_text[damage] == '{')
            return damage;
        for (size_t end = damage; end < m_text.size(); end = m_text.find('\n', end)) {
            const size_t next = m_text.find_first_not_of(" \t\r\n", end);
            if (next == std::string_view::npos || m_text[next] == '{')
                return std::min(next, m_text.size());
            end = next;
        }
        return m_text.size();
    }

    /// Objects one after another have no commas between them: one that stands there belongs to the row and its parser
    /// will refuse it.
    size_t withStrayComma(size_t end) const
    {
        const size_t next = m_text.find_first_not_of(" \t\r", end);
        return next != std::string_view::npos && m_text[next] == ',' ? next + 1 : end;
    }

    static constexpr size_t npos = std::string_view::npos;

    std::string_view m_text;
    const SplitLimits& m_limits;
    size_t m_at = 0;
    size_t m_line = 1;
    size_t m_lineStart = 0;
    bool m_inList = false;
    bool m_isCut = false; ///< the file ends inside the last row
    RowIndex m_rows;
    size_t m_passed = 0; ///< what was reported
};

} // namespace

RowIndex splitRowsOfJson(std::string_view text, bool oneRowALine, const SplitLimits& limits)
{
    const size_t mark = text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
    const size_t first = text.find_first_not_of(" \t\r\n", mark);
    const bool isList = first != std::string_view::npos && text[first] == '[';
    return oneRowALine && !isList ? splitLines(text, limits) : RowSplitter(text, limits).values();
}

} // namespace tunebench
