#pragma once

#include "core/data/columns.h"
#include "core/data/files/row_source.h"
#include "core/data/kept_rows.h"

#include <unordered_set>

namespace tunebench {

/// What is to be done with the rows of a source.
struct LoadPlan {
    const RunConfig& config;
    DatasetFormat format;
    const RowEncoder* encoder; ///< null: rows are checked, but not encoded
    size_t maxRows; ///< usable rows at which to stop
    bool keepRows; ///< false: only their extents
    std::string keptKey; ///< of the kept rows (keptRowsKey); empty: rows are not kept
    std::filesystem::path keptFolder;
};

struct LoadedRows {
    Dataset data;
    std::vector<RowExtent> extents; ///< of the rows that were encoded
    int64_t usable = 0;
};

/// Reads every row of a source, in waves over all cores, in an order that does not depend on the threads, or takes the
/// rows that an earlier run kept.
class RowLoader {
public:
    RowLoader(const RowSource& source, const LoadPlan& plan);

    Result<LoadedRows> run(const LoadProgress& progress, const std::stop_token& stop);

private:
    Result<void> readRows(const LoadProgress& progress, const std::stop_token& stop);
    Result<void> takeKept(KeptRows& kept, const LoadProgress& progress, const std::stop_token& stop);
    RowOutcome read(size_t index) const;
    void take(RowOutcome outcome, size_t index);
    void refuseRow(std::string reason, size_t index);
    void count(const RowNotes& notes, size_t index);
    bool isDone() const { return static_cast<size_t>(m_loaded.usable) >= m_plan.maxRows; }
    void addNotices();

    const RowSource& m_source;
    const LoadPlan& m_plan;
    LoadedRows m_loaded;
    Columns m_columns;
    std::unordered_set<uint64_t> m_seen; ///< contents
    size_t m_unreadable = 0;
    size_t m_untrainedAnswers = 0, m_untrainedRows = 0, m_hiddenReasoning = 0, m_hiddenTools = 0,
           m_decomposedKorean = 0; ///< for notices
    size_t m_unknownRoles = 0;
    std::string m_firstUntrained, m_firstUnknownRole;
};

} // namespace tunebench
