#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace tunebench {

/// One row of a dataset file as it stands there, not parsed yet.
struct RawRow {
    std::string_view text; ///< into the file's content
    size_t line = 0; ///< where it begins, from 1
    size_t column = 0; ///< where it begins in that line, in bytes from 1
    std::string_view problem; ///< why it has no end (the rest of the file is cut, say); empty for most rows
};

/// A row as an object, or the reason why it is none.
using ParsedRow = tl::expected<nlohmann::ordered_json, std::string>;

/// Where a row lies in the content of its file.
struct RowPlace {
    size_t begin = 0;
    size_t size = 0;
    size_t line = 0;
    size_t column = 0;
};

/// Where the rows of a file lie: 32 bytes a row.
class RowIndex {
public:
    void add(const RowPlace& place, std::string_view problem = {});
    void append(const std::vector<RowPlace>& places, size_t linesBefore);

    void dropLast();

    size_t count() const { return m_places.size(); }
    const RowPlace& place(size_t index) const { return m_places[index]; }
    RawRow row(std::string_view content, size_t index) const;

    /// So many rows had no end that the file is no dataset; looking further is of no use.
    bool isTooDamaged() const;

private:
    std::vector<RowPlace> m_places;
    std::map<size_t, std::string> m_problems; ///< by row, of the few that have one
};

/// How far finding rows goes, and what it tells on the way.
struct SplitLimits {
    size_t maxRows = SIZE_MAX;
    std::stop_token stop; ///< the index is then incomplete
    std::function<void(size_t begin, size_t end)> passed; ///< bytes that were gone through; from any thread
};

/// A place in a text as a person counts it.
struct TextPlace {
    size_t line = 0;
    size_t column = 0; ///< in bytes, from 1
};

/// Where byte `at` of the row's text stands in its file.
TextPlace placeOf(const RawRow& row, size_t at);

/// "line 3, column 14".
std::string inWords(TextPlace place);

/// Why the row's bytes are not UTF-8, with the place, or nothing.
std::string textProblem(const RawRow& row);

/// The same of a plain text or a table, where a zero byte is a damage too.
std::string plainTextProblem(const RawRow& row);

} // namespace tunebench
