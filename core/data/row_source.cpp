#include "core/data/row_source.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tunebench {
namespace {

/// 64-bit FNV-1a: tells files apart, guards against no one.
uint64_t hashOf(std::string_view bytes, uint64_t hash)
{
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

} // namespace

Result<RowSource> RowSource::open(std::span<const std::string> paths, const OpenLimits& /*limits*/)
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

size_t RowSource::lineOf(size_t index) const
{
    return row(index).line;
}

tl::expected<nlohmann::ordered_json, std::string> RowSource::read(size_t index) const
{
    return parseRow(row(index));
}

size_t RowSource::fileIndex(size_t index) const
{
    return static_cast<size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), index) - m_ends.begin());
}

} // namespace tunebench
