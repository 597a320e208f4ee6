#include "core/data/row_source.h"

#include "core/data/columns.h"
#include "core/data/records.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tunebench {
namespace {

constexpr size_t sampleRows = 100; ///< whose columns tell the format
constexpr size_t sampleTries = 10'000; ///< rows, damaged ones among them, to look for a sample in

/// 64-bit FNV-1a: tells files apart, guards against no one.
uint64_t hashOf(std::string_view bytes, uint64_t hash)
{
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

std::string listed(const std::vector<std::string>& names)
{
    constexpr size_t most = 20;
    std::string words;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
        words += (i > 0 ? ", " : "") + names[i];
    return names.empty() ? "none" : words + (names.size() > most ? ", ..." : "");
}

} // namespace

Result<RowSource> RowSource::open(std::span<const std::string> paths)
{
    RowSource source;
    if (paths.empty())
        return failure("No dataset is chosen; name a .json or .jsonl file in \"dataset\".");
    for (const auto& path : paths) {
        auto file = openRowFile(path);
        if (!file)
            return tl::unexpected(file.error());
        source.m_count += file->rows.size();
        source.m_files.push_back(std::move(*file));
        source.m_ends.push_back(source.m_count);
    }
    return source;
}

const RawRow& RowSource::row(size_t index) const
{
    const size_t file = fileIndex(index);
    return m_files[file].rows[index - (file > 0 ? m_ends[file - 1] : 0)];
}

const std::string& RowSource::pathOf(size_t index) const
{
    return m_files[fileIndex(index)].path;
}

Result<DatasetFormat> RowSource::format(const RunConfig& config) const
{
    if (config.datasetFormat != DatasetFormat::automatic)
        return config.datasetFormat;
    std::array<size_t, static_cast<size_t>(DatasetFormat::tokens) + 1> votes {};
    Columns columns;
    size_t objects = 0;
    std::string firstProblem = "it holds no rows";
    for (size_t i = 0; i < std::min(m_count, sampleTries) && objects < sampleRows; ++i) {
        const auto object = parseRow(row(i));
        if (i == 0 && !object)
            firstProblem = object.error();
        if (!object)
            continue;
        ++objects;
        columns.add(Columns::of(*object));
        if (const auto shown = formatOfRow(*object))
            ++votes[static_cast<size_t>(*shown)];
    }
    const auto* const most = std::max_element(votes.begin(), votes.end());
    if (*most > 0)
        return static_cast<DatasetFormat>(most - votes.begin());
    if (objects == 0)
        return failure("No row of " + names() + " can be read: " + firstProblem + ".");
    return failure("Cannot tell the format of " + names() + ": its columns are " + listed(columns.names())
        + "; needed are " + neededColumns() + ".");
}

std::string RowSource::fingerprint() const
{
    uint64_t hash = 0xcbf29ce484222325;
    for (const auto& file : m_files) {
        hash = hashOf(std::to_string(file.content.text().size()) + ":", hash);
        hash = hashOf(file.content.text(), hash);
    }
    std::array<char, 16> digits {};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    const std::string text(static_cast<const char*>(digits.data()), end);
    return std::string(digits.size() - text.size(), '0') + text;
}

std::string RowSource::names() const
{
    return m_files.front().path + (m_files.size() > 1 ? " and " + std::to_string(m_files.size() - 1) + " more" : "");
}

size_t RowSource::fileIndex(size_t index) const
{
    return static_cast<size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), index) - m_ends.begin());
}

} // namespace tunebench
