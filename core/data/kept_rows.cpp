#include "core/data/kept_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "tunebench rows 2";
constexpr size_t mostBytes = size_t { 4 } << 30; // in the folder
constexpr size_t bufferBytes = size_t { 1 } << 20;
constexpr size_t blockBytes = size_t { 16 } << 20; // that are mapped in at once

enum Flags : uint8_t {
    isReadable = 1,
    hasRow = 2,
    sameColumns = 4,
    hiddenReasoning = 8,
    hiddenTools = 16,
    decomposedKorean = 32,
    unknownRole = 64
};

// ---- values as bytes: numbers in the machine's order, texts and lists with their size before them

template <class Number> void put(std::string& bytes, Number number)
{
    std::array<char, sizeof(Number)> raw {};
    std::memcpy(raw.data(), &number, sizeof(number));
    bytes.append(raw.data(), raw.size());
}

void putText(std::string& bytes, std::string_view text)
{
    put(bytes, static_cast<uint32_t>(text.size()));
    bytes.append(text);
}

/// Takes values off the front of bytes that were checked as a whole; what does not fit all the same reads as nothing.
template <class Number> Number get(std::string_view& bytes)
{
    Number number {};
    if (bytes.size() < sizeof(number)) {
        bytes = {};
        return number;
    }
    std::memcpy(&number, bytes.data(), sizeof(number));
    bytes.remove_prefix(sizeof(number));
    return number;
}

std::string_view getText(std::string_view& bytes)
{
    const auto size = std::min<size_t>(get<uint32_t>(bytes), bytes.size());
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return text;
}

/// Ids, and the ranges of them that are labels as well.
void putRow(std::string& bytes, const TokenRow& row)
{
    put(bytes, row.content);
    put(bytes, static_cast<uint32_t>(row.rejected));
    putText(bytes, { reinterpret_cast<const char*>(row.ids.data()), row.ids.size() * sizeof(TokenId) });
    std::string ranges;
    for (size_t i = 0; i < row.labels.size(); ++i) {
        const size_t begin = i;
        while (i < row.labels.size() && row.labels[i] != ignoredLabel)
            ++i;
        if (i > begin) {
            put(ranges, static_cast<uint32_t>(begin));
            put(ranges, static_cast<uint32_t>(i));
        }
    }
    putText(bytes, ranges);
}

TokenRow getRow(std::string_view& bytes)
{
    TokenRow row;
    row.content = get<uint64_t>(bytes);
    row.rejected = get<uint32_t>(bytes);
    const std::string_view ids = getText(bytes);
    row.ids.resize(ids.size() / sizeof(TokenId));
    std::memcpy(row.ids.data(), ids.data(), row.ids.size() * sizeof(TokenId));
    row.rejected = std::min(row.rejected, row.ids.size());
    row.labels.assign(row.ids.size(), ignoredLabel);
    for (std::string_view ranges = getText(bytes); !ranges.empty();) {
        const size_t begin = std::min<size_t>(get<uint32_t>(ranges), row.ids.size());
        const size_t end = std::clamp<size_t>(get<uint32_t>(ranges), begin, row.ids.size());
        std::copy(row.ids.begin() + static_cast<std::ptrdiff_t>(begin),
            row.ids.begin() + static_cast<std::ptrdiff_t>(end),
            row.labels.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    return row;
}

/// Removes the oldest files of a folder until the rest is small enough.
void removeOldest(const fs::path& folder)
{
    struct Kept {
        fs::path path;
        fs::file_time_type time;
        size_t size;
    };
    std::vector<Kept> files;
    size_t total = 0;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
        const auto size = static_cast<size_t>(at->file_size(ignored));
        if (ignored)
            continue;
        files.push_back({ at->path(), at->last_write_time(ignored), size });
        total += size;
    }
    std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.time < b.time; });
    for (size_t i = 0; i < files.size() && total > mostBytes; ++i) {
        fs::remove(files[i].path, ignored);
        total -= files[i].size;
    }
}

} // namespace

KeptRows::KeptRows(MappedFile file)
    : m_file(std::move(file))
{
}

std::optional<KeptRows> KeptRows::open(const fs::path& folder, const std::string& key, const std::stop_token& stop)
{
    const fs::path path = folder / key;
    auto file = MappedFile::open(path);
    if (!file)
        return {};
    KeptRows kept(std::move(*file));
    std::string_view text = kept.m_file.text();
    constexpr size_t sumBytes = sizeof(uint64_t);
    if (!text.starts_with(magic) || text.size() < magic.size() + sumBytes)
        return {};
    std::string_view sum = text.substr(text.size() - sumBytes);
    text.remove_suffix(sumBytes);
    Fingerprint fingerprint;
    for (size_t begin = 0; begin < text.size(); begin += blockBytes) {
        if (stop.stop_requested())
            return {};
        fingerprint.addMapped(std::as_bytes(std::span(text.substr(begin, blockBytes))));
    }
    if (get<uint64_t>(sum) != fingerprint.value())
        return {};
    kept.m_left = text.substr(magic.size());
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored); // so that it is not the oldest
    return kept;
}

std::optional<RowOutcome> KeptRows::next()
{
    if (m_left.empty())
        return {};
    const auto place = static_cast<size_t>(m_left.data() - m_file.text().data());
    if (place >= m_released + blockBytes)
        m_file.release(std::exchange(m_released, place), place);
    RowOutcome outcome;
    const auto flags = get<uint8_t>(m_left);
    outcome.readable = (flags & isReadable) != 0;
    if ((flags & sameColumns) == 0) {
        m_columns.clear();
        for (std::string_view names = getText(m_left); !names.empty();)
            m_columns.emplace_back(getText(names));
    }
    outcome.columns = m_columns;
    if ((flags & hasRow) == 0) {
        outcome.reason = getText(m_left);
        return outcome;
    }
    RowNotes notes;
    notes.untrainedAnswers = get<uint32_t>(m_left);
    notes.hiddenReasoning = (flags & hiddenReasoning) != 0;
    notes.hiddenTools = (flags & hiddenTools) != 0;
    notes.decomposedKorean = (flags & decomposedKorean) != 0;
    if ((flags & unknownRole) != 0)
        notes.unknownRole = getText(m_left);
    if (notes.untrainedAnswers > 0)
        notes.untrainedReason = getText(m_left);
    outcome.row = EncodedRow { getRow(m_left), std::move(notes) };
    return outcome;
}

KeptRowsWriter::KeptRowsWriter(const fs::path& folder, const std::string& key)
    : m_folder(folder)
{
    if (key.empty())
        return;
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    if (auto file = AtomicFile::create(folder / key))
        m_file = std::move(*file);
    m_buffer = magic;
}

void KeptRowsWriter::add(const RowOutcome& outcome)
{
    if (!m_file)
        return;
    const bool isSame = outcome.columns == m_columns;
    const RowNotes notes = outcome.row ? outcome.row->notes : RowNotes {};
    put(m_buffer,
        static_cast<uint8_t>((outcome.readable ? isReadable : 0) | (outcome.row ? hasRow : 0)
            | (isSame ? sameColumns : 0) | (notes.hiddenReasoning ? hiddenReasoning : 0)
            | (notes.hiddenTools ? hiddenTools : 0) | (notes.decomposedKorean ? decomposedKorean : 0)
            | (notes.unknownRole.empty() ? 0 : unknownRole)));
    if (!isSame) {
        std::string names;
        for (const auto& name : outcome.columns)
            putText(names, name);
        putText(m_buffer, names);
        m_columns = outcome.columns;
    }
    if (outcome.row) {
        put(m_buffer, notes.untrainedAnswers);
        if (!notes.unknownRole.empty())
            putText(m_buffer, notes.unknownRole);
        if (notes.untrainedAnswers > 0)
            putText(m_buffer, notes.untrainedReason);
        putRow(m_buffer, outcome.row->row);
    } else {
        putText(m_buffer, outcome.reason);
    }
    if (m_buffer.size() >= bufferBytes)
        flush();
}

void KeptRowsWriter::flush()
{
    m_size += m_buffer.size();
    m_fingerprint.add(m_buffer);
    if (m_size > mostBytes || !m_file->write(m_buffer))
        m_file.reset();
    m_buffer.clear();
}

void KeptRowsWriter::finish()
{
    if (!m_file)
        return;
    flush();
    put(m_buffer, m_fingerprint.value());
    if (!m_file || !m_file->write(m_buffer) || !m_file->commit())
        return;
    removeOldest(m_folder);
}

} // namespace tunebench
