#include "core/data/files/row_source.h"

#include "core/base/fingerprint.h"
#include "core/data/files/dataset_files.h"
#include "core/data/files/parallel.h"

#include <algorithm>

namespace tunebench {
namespace {

constexpr size_t chunkBytes = size_t { 16 } << 20;

/// The kind, which tells what the bytes mean, and the fingerprints of the file's parts, made on all cores.
void addFile(Fingerprint& all, const RowFile& file, const std::stop_token& stop)
{
    const MappedFile& content = file.original();
    const size_t size = content.bytes().size();
    std::vector<std::string> parts((size + chunkBytes - 1) / chunkBytes);
    parallelFor(parts.size(), 0, [&](size_t i) {
        if (stop.stop_requested())
            return;
        const size_t begin = i * chunkBytes;
        const size_t end = std::min(begin + chunkBytes, size);
        Fingerprint part;
        part.addMapped(content.bytes().subspan(begin, end - begin));
        parts[i] = part.text();
    });
    all.add(std::to_string(static_cast<int>(file.kind())) + ":" + std::to_string(size) + ":");
    for (const std::string& part : parts)
        all.add(part);
}

} // namespace

Result<RowSource> RowSource::open(std::span<const std::string> paths, const OpenLimits& limits)
{
    auto found = findDatasetFiles(paths);
    if (!found)
        return tl::unexpected(found.error());
    RowSource source;
    source.m_notices = std::move(found->notices);
    for (const auto& path : found->paths) {
        auto file = RowFile::open(path, limits, source.m_notices);
        if (!file)
            return tl::unexpected(file.error());
        source.m_count += file->count();
        source.m_files.push_back(std::move(*file));
        source.m_ends.push_back(source.m_count);
        if (source.m_count >= limits.maxRows)
            break;
    }
    return source;
}

const std::string& RowSource::pathOf(size_t index) const
{
    return placeOf(index).file.path();
}

size_t RowSource::lineOf(size_t index) const
{
    const Place place = placeOf(index);
    return place.file.lineOf(place.index);
}

ParsedRow RowSource::read(size_t index) const
{
    const Place place = placeOf(index);
    return place.file.read(place.index);
}

void RowSource::release(size_t begin, size_t end) const
{
    size_t fileBegin = 0;
    for (size_t i = 0; i < m_files.size(); fileBegin = m_ends[i++]) {
        const size_t from = std::max(begin, fileBegin);
        const size_t to = std::min(end, m_ends[i]);
        if (from < to)
            m_files[i].release(from - fileBegin, to - fileBegin);
    }
}

std::string RowSource::fingerprint(const std::stop_token& stop) const
{
    Fingerprint all;
    for (const auto& file : m_files)
        addFile(all, file, stop);
    return all.text();
}

std::string RowSource::names() const
{
    return m_files.front().path() + (m_files.size() > 1 ? " and " + std::to_string(m_files.size() - 1) + " more" : "");
}

RowSource::Place RowSource::placeOf(size_t index) const
{
    const auto file = static_cast<size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), index) - m_ends.begin());
    return { m_files[file], index - (file > 0 ? m_ends[file - 1] : 0) };
}

} // namespace tunebench
