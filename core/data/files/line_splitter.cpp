#include "core/data/files/line_splitter.h"

#include "core/data/files/parallel.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <thread>

namespace tunebench {
namespace {

constexpr size_t chunkBytes = size_t { 16 } << 20;

/// The rows of one chunk, which begins where a line begins; lines are counted from the chunk's start.
struct Chunk {
    size_t begin = 0;
    size_t end = 0;
    std::vector<RowPlace> rows;
    size_t lineBreaks = 0;
};

void findRows(std::string_view text, Chunk& chunk, size_t maxRows)
{
    for (size_t at = chunk.begin; at < chunk.end && chunk.rows.size() < maxRows; ++chunk.lineBreaks) {
        const size_t begin = text.substr(at).starts_with(byteOrderMark) ? at + byteOrderMark.size() : at;
        const size_t lineEnd = std::min(text.find('\n', begin), text.size());
        size_t end = lineEnd;
        while (end > begin && text[end - 1] == '\r')
            --end;
        if (!isBlank(text.substr(begin, end - begin)))
            chunk.rows.push_back({ begin, end - begin, chunk.lineBreaks + 1, begin - at + 1 });
        at = lineEnd + 1;
    }
}

/// The chunk that begins at a place, up to a line's end.
Chunk chunkAt(std::string_view text, size_t begin)
{
    const size_t wanted = begin + chunkBytes;
    const size_t lineEnd = wanted < text.size() ? text.find('\n', wanted) : text.size();
    return { begin, lineEnd < text.size() ? lineEnd + 1 : text.size(), {}, 0 };
}

} // namespace

RowIndex splitLines(std::string_view text, const SplitLimits& limits)
{
    RowIndex index;
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const size_t chunksAtOnce = limits.maxRows == SIZE_MAX ? 2 * cores : 1;
    size_t lineBreaks = 0;
    size_t at = 0;
    while (at < text.size() && index.count() < limits.maxRows && !limits.stop.stop_requested()) {
        std::vector<Chunk> chunks;
        for (; chunks.size() < chunksAtOnce && at < text.size(); at = chunks.back().end)
            chunks.push_back(chunkAt(text, at));
        const size_t wanted = limits.maxRows - index.count();
        parallelFor(chunks.size(), cores, [&](size_t i) {
            findRows(text, chunks[i], wanted);
            if (limits.passed)
                limits.passed(chunks[i].begin, chunks[i].end);
        });
        for (const Chunk& chunk : chunks) {
            index.append(chunk.rows, lineBreaks);
            lineBreaks += chunk.lineBreaks;
        }
    }
    return index;
}

ParsedRow parseTextRow(const RawRow& row)
{
    if (auto problem = plainTextProblem(row); !problem.empty())
        return tl::unexpected(std::move(problem));
    return nlohmann::ordered_json { { "text", row.text } };
}

} // namespace tunebench
