#include "core/data/files/row_file.h"

#include "core/data/files/delimited_rows.h"
#include "core/data/files/json_rows.h"
#include "core/data/files/line_splitter.h"
#include "core/data/files/parquet_rows.h"
#include "core/data/files/text_checks.h"
#include "core/data/files/text_encoding.h"

#include <algorithm>
#include <filesystem>

namespace tunebench {
namespace {

constexpr size_t maxRowsOfFile = 50'000'000; ///< 32 bytes each; a packed file of a few MB can hold any number of lines
// Where rows are limited, so many bytes are looked at for the encoding, and unpacked or converted (any row fits).
constexpr size_t sampleBytes = size_t { 16 } << 20;
constexpr size_t previewBytes = size_t { 80 } << 20;

} // namespace

/// The steps from a file to its rows.
class RowFile::Opening {
public:
    Opening(RowFile& file, const OpenLimits& limits, std::vector<std::string>& notices)
        : m_file(file)
        , m_limits(limits)
        , m_notices(notices)
    {
    }

    Result<void> run()
    {
        using Step = Result<void> (Opening::*)();
        for (const Step step : { &Opening::unpackContent, &Opening::checkContent, &Opening::convertContent,
                 &Opening::findRows, &Opening::checkRows }) {
            if (auto done = (this->*step)(); !done)
                return done;
            if (m_limits.stop.stop_requested())
                return stopped();
        }
        return {};
    }

private:
    FileKind kind() const { return m_file.m_kind; }
    std::string_view text() const { return m_file.content().text(); }
    bool isPreview() const { return m_limits.maxRows != SIZE_MAX; }
    size_t maxBytes() const { return isPreview() ? previewBytes : SIZE_MAX; }
    size_t maxRows() const { return std::min(m_limits.maxRows, maxRowsOfFile); }

    tl::unexpected<Error> cannot(const std::string& why) const
    {
        return failure("Cannot read " + m_file.m_path + " as a dataset: " + why);
    }

    Result<void> keep(Result<ConvertedContent> converted)
    {
        if (!converted)
            return tl::unexpected(converted.error());
        m_file.m_converted = std::move(converted->content);
        m_isCut |= converted->isCut;
        if (converted->junk > 0)
            m_notices.push_back("After the packed data of " + m_file.m_path + " stand "
                + std::to_string(converted->junk)
                + " bytes that are none; they are left out. If rows are missing, get the file again.");
        m_file.m_original.release(0, SIZE_MAX);
        return {};
    }

    Result<void> unpackContent()
    {
        const Packing packing = packingOf(text());
        if (packing != Packing::none) {
            const size_t most = kind() == FileKind::parquet ? SIZE_MAX : maxBytes(); // its directory is at its end
            return keep(unpack(text(), packing, m_file.m_path, most, m_limits.stop));
        }
        const std::string ending = std::filesystem::path(m_file.m_path).extension().string();
        if (!text().empty() && (ending == ".gz" || ending == ".zst"))
            return cannot("it is not packed as its name says; get the file again, or give it the right name.");
        return {};
    }

    Result<void> checkContent()
    {
        if (text().starts_with("version https://git-lfs"))
            return cannot("it is a Git LFS pointer, not the data; run \"git lfs pull\" where it came from.");
        if (isBlank(text()))
            return cannot("the file is empty; choose a file with at least one row.");
        if (text().starts_with("PK\x03\x04"))
            return cannot("it is a ZIP archive (or a spreadsheet); unpack it, or save it as CSV.");
        if (kind() != FileKind::parquet && text().starts_with(parquetMark))
            return cannot("it is a Parquet file; give it a name that ends in .parquet.");
        return {};
    }

    Result<void> convertContent()
    {
        if (kind() == FileKind::parquet)
            return keep(convertParquet(text(), m_file.m_path, maxRows(), m_limits.stop));
        const Encoding encoding = encodingOf(m_file.content(), isPreview() ? sampleBytes : SIZE_MAX, m_limits.stop);
        if (encoding == Encoding::utf32)
            return cannot("it is UTF-32 text; save it as UTF-8.");
        if (encoding == Encoding::utf8) {
            if (text().starts_with(byteOrderMark))
                m_notices.push_back(m_file.m_path + " begins with a byte order mark, which is left out.");
            return {};
        }
        m_notices.push_back(m_file.m_path + " is " + std::string(nameOf(encoding)) + " text; it is read as such.");
        return keep(convertToUtf8(text(), encoding, m_file.m_path, maxBytes(), m_limits.stop));
    }

    Result<void> findRows()
    {
        const MappedFile& content = m_file.content();
        const SplitLimits limits { maxRows(), m_limits.stop,
            [&content](size_t begin, size_t end) { content.release(begin, end); } };
        switch (kind()) {
        case FileKind::commaSeparated:
        case FileKind::tabSeparated:
            return findCells(kind() == FileKind::tabSeparated ? '\t' : ',', limits);
        case FileKind::text:
            m_file.m_rows = splitLines(text(), limits);
            m_file.m_parse = parseTextRow;
            return {};
        case FileKind::json:
        case FileKind::jsonLines:
        case FileKind::parquet:
            break;
        }
        m_file.m_rows = splitRowsOfJson(text(), kind() != FileKind::json, limits);
        m_file.m_parse = parseJsonRow;
        return {};
    }

    Result<void> findCells(char separator, const SplitLimits& limits)
    {
        auto table = splitDelimited(text(), separator, m_file.m_path, limits);
        if (!table)
            return tl::unexpected(table.error());
        m_file.m_rows = std::move(table->rows);
        m_notices.insert(m_notices.end(), table->notices.begin(), table->notices.end());
        m_file.m_parse = [found = table->separator, columns = std::move(table->columns)](
                             const RawRow& row) { return parseDelimitedRow(row, found, columns); };
        return {};
    }

    Result<void> checkRows()
    {
        if (m_file.count() >= maxRowsOfFile)
            return cannot("it has more than 50 million rows; split it into several files.");
        if (m_isCut && m_file.count() > 0 && m_file.count() < m_limits.maxRows)
            m_file.m_rows.dropLast(); // it goes on beyond what was unpacked
        return {};
    }

    RowFile& m_file;
    const OpenLimits& m_limits;
    std::vector<std::string>& m_notices;
    bool m_isCut = false; ///< only the first bytes were unpacked or converted
};

RowFile::RowFile(std::string path, FileKind kind, MappedFile original)
    : m_path(std::move(path))
    , m_kind(kind)
    , m_original(std::move(original))
{
}

Result<RowFile> RowFile::open(const std::string& path, const OpenLimits& limits, std::vector<std::string>& notices)
{
    auto original = MappedFile::open(path);
    if (!original)
        return tl::unexpected(original.error());
    const auto kind = fileKind(path);
    if (!kind)
        return failure("Cannot read " + path + " as a dataset: " + remedyFor(path));
    RowFile file(path, *kind, std::move(*original));
    if (auto opened = Opening(file, limits, notices).run(); !opened)
        return tl::unexpected(opened.error());
    return file;
}

ParsedRow RowFile::read(size_t index) const
{
    return m_parse(m_rows.row(content().text(), index));
}

void RowFile::release(size_t begin, size_t end) const
{
    if (begin < end) {
        const RowPlace& last = m_rows.place(end - 1);
        content().release(m_rows.place(begin).begin, last.begin + last.size);
    }
}

} // namespace tunebench
