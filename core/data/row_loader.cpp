#include "core/data/row_loader.h"

#include "core/data/files/parallel.h"
#include "core/data/length_statistics.h"
#include "core/data/record_hash.h"
#include "core/data/truncation.h"

#include <algorithm>
#include <thread>

namespace tunebench {
namespace {

constexpr size_t rowsPerWave = 128; ///< a thread; between waves the loader counts, reports and may stop
constexpr size_t maxUnreadable = 50'000; ///< rows; a file with more of them is no dataset

tl::unexpected<Error> stopped()
{
    return failure("Loading the dataset was stopped.", Fault::work);
}

std::string counted(size_t count, const char* one, const char* several)
{
    return std::to_string(count) + " " + (count == 1 ? one : several);
}

} // namespace

RowLoader::RowLoader(const RowSource& source, const LoadPlan& plan)
    : m_source(source)
    , m_plan(plan)
{
    m_loaded.data.format = plan.format;
    m_loaded.data.notices = source.notices();
}

Result<LoadedRows> RowLoader::run(const LoadProgress& progress, const std::stop_token& stop)
{
    auto kept = m_plan.keptKey.empty() ? std::nullopt : KeptRows::open(m_plan.keptFolder, m_plan.keptKey, stop);
    if (auto done = kept ? takeKept(*kept, progress, stop) : readRows(progress, stop); !done)
        return tl::unexpected(done.error());
    m_loaded.data.columns = m_columns.names();
    addNotices();
    return std::move(m_loaded);
}

Result<void> RowLoader::readRows(const LoadProgress& progress, const std::stop_token& stop)
{
    const auto given = static_cast<size_t>(std::max<int64_t>(0, m_plan.config.threads));
    const size_t cores = given > 0 ? given : std::max(1U, std::thread::hardware_concurrency());
    KeptRowsWriter keeper(m_plan.keptFolder, m_plan.keptKey);
    std::vector<RowOutcome> outcomes;
    for (size_t begin = 0; begin < m_source.count() && !isDone(); begin += outcomes.size()) {
        outcomes.clear();
        outcomes.resize(std::min(cores * rowsPerWave, m_source.count() - begin));
        parallelFor(outcomes.size(), cores, [&](size_t i) {
            if (!stop.stop_requested())
                outcomes[i] = read(begin + i);
        });
        if (stop.stop_requested())
            return stopped();
        for (size_t i = 0; i < outcomes.size() && !isDone(); ++i) {
            keeper.add(outcomes[i]);
            take(std::move(outcomes[i]), begin + i);
        }
        m_source.release(begin, begin + outcomes.size());
        if (m_unreadable > maxUnreadable)
            return failure("Cannot read " + m_source.names() + " as rows: more than " + std::to_string(maxUnreadable)
                + " rows are damaged; the first: " + m_loaded.data.refused.front().reason + ".");
        if (progress)
            progress(begin + outcomes.size(), m_source.count());
    }
    keeper.finish();
    return {};
}

Result<void> RowLoader::takeKept(KeptRows& kept, const LoadProgress& progress, const std::stop_token& stop)
{
    constexpr size_t rowsBetweenReports = 4096;
    for (size_t index = 0; auto outcome = kept.next(); ++index) {
        take(std::move(*outcome), index);
        if (stop.stop_requested())
            return stopped();
        if (progress && index % rowsBetweenReports == 0)
            progress(index, m_source.count());
    }
    m_loaded.data.kept = true;
    return {};
}

RowOutcome RowLoader::read(size_t index) const
{
    RowOutcome outcome;
    auto object = m_source.read(index);
    if (!object) {
        outcome.reason = std::move(object.error());
        outcome.readable = false;
        return outcome;
    }
    outcome.columns = Columns::of(*object);
    auto record = readRecord(std::move(*object), m_plan.format, m_plan.config.datasetColumns);
    if (!record) {
        outcome.reason = std::move(record.error());
        return outcome;
    }
    const uint64_t content = recordHash(*record);
    auto encoded = m_plan.encoder != nullptr ? m_plan.encoder->encode(std::move(*record)) : EncodedRow {};
    if (!encoded) {
        outcome.reason = std::move(encoded.error());
        return outcome;
    }
    outcome.row = std::move(*encoded);
    outcome.row->row.content = content;
    return outcome;
}

void RowLoader::take(RowOutcome outcome, size_t index)
{
    m_columns.add(outcome.columns);
    m_unreadable += !outcome.readable;
    if (!outcome.row)
        return refuseRow(std::move(outcome.reason), index);
    TokenRow& row = outcome.row->row;
    if (m_plan.encoder != nullptr) {
        const std::span<const TokenId> labels(row.labels);
        m_loaded.extents.push_back(extentOf(labels.first(row.rejected > 0 ? row.rejected : labels.size())));
        if (row.rejected > 0)
            m_loaded.extents.push_back(extentOf(labels.subspan(row.rejected)));
        auto cut = truncateRow(row, m_plan.config.maxLength, m_plan.config.truncation);
        if (!cut)
            return refuseRow(std::move(cut.error()), index);
        TruncationCounts& counts = m_loaded.data.truncation;
        counts.rows += cut->tokens > 0;
        counts.tokensCut += cut->tokens;
        counts.answersCut += cut->answer;
    }
    ++m_loaded.usable;
    m_loaded.data.duplicates += !m_seen.insert(row.content).second;
    count(outcome.row->notes, index);
    if (!m_plan.keepRows)
        return;
    row.line = m_source.lineOf(index);
    row.ids.shrink_to_fit(); // what grew while it was encoded, and what truncation took
    row.labels.shrink_to_fit();
    m_loaded.data.rows.push_back(std::move(row));
}

void RowLoader::refuseRow(std::string reason, size_t index)
{
    m_loaded.data.refused.push_back({ m_source.pathOf(index), m_source.lineOf(index), std::move(reason), index });
}

void RowLoader::count(const RowNotes& notes, size_t index)
{
    m_untrainedRows += notes.untrainedAnswers > 0;
    m_untrainedAnswers += notes.untrainedAnswers;
    m_hiddenReasoning += notes.hiddenReasoning;
    m_hiddenTools += notes.hiddenTools;
    m_decomposedKorean += notes.decomposedKorean;
    if (!notes.unknownRole.empty() && m_unknownRoles++ == 0)
        m_firstUnknownRole = "\"" + notes.unknownRole + "\" at line " + std::to_string(m_source.lineOf(index));
    if (notes.untrainedAnswers > 0 && m_firstUntrained.empty())
        m_firstUntrained = "line " + std::to_string(m_source.lineOf(index)) + ": " + notes.untrainedReason;
}

void RowLoader::addNotices()
{
    auto& notices = m_loaded.data.notices;
    if (m_untrainedRows > 0)
        notices.push_back(counted(m_untrainedAnswers, "answer in ", "answers in ")
            + counted(m_untrainedRows, "row is not trained", "rows are not trained") + " (first at " + m_firstUntrained
            + ").");
    if (m_unknownRoles > 0)
        notices.push_back(counted(m_unknownRoles, "row has", "rows have")
            + " turns of a role that the chat template does not name (first " + m_firstUnknownRole
            + "); see in the rows how it writes them, or rename the role to user, assistant, system or tool.");
    if (m_hiddenReasoning > 0)
        notices.push_back("The chat template has no place for reasoning, so that of "
            + counted(m_hiddenReasoning, "row", "rows") + " is not trained.");
    if (m_hiddenTools > 0)
        notices.push_back("The chat template does not show tools, so the lists of "
            + counted(m_hiddenTools, "row do", "rows do") + " not reach the model.");
    if (m_decomposedKorean > 0)
        notices.push_back("Korean text in " + counted(m_decomposedKorean, "row", "rows")
            + " stands in single letters (NFD, as some macOS programs write it): other tokens than the same syllables "
              "composed, and several times as many. Convert the file to NFC.");
}

} // namespace tunebench
