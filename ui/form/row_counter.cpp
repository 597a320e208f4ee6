#include "ui/form/row_counter.h"

#include "core/config/options.h"
#include "core/data/dataset.h"
#include "ui/base/background.h"
#include "ui/base/file_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

/// Two equal texts mean equal counts.
std::string stateOf(const RunConfig& config)
{
    std::string text = fileState(config.dataset) + fileState(config.evalDataset);
    for (const char* key : { "dataset_format", "dataset_columns", "max_rows" }) {
        text += optionValue(config, key).dump() + '\n';
    }
    return text;
}

} // namespace

RowCounter::RowCounter(QObject* parent)
    : QObject(parent)
{
    constexpr int delay = 200; // ms; a fast typist's pause
    m_delay.setSingleShot(true);
    m_delay.setInterval(delay);
    connect(&m_delay, &QTimer::timeout, this, &RowCounter::countIfNew);
}

void RowCounter::setConfig(const RunConfig& config)
{
    m_config = withResolvedPaths(config);
    m_wanted = stateOf(m_config);
    if (m_wanted == m_counted) {
        divide();
        return;
    }
    m_count.reset();
    emit changed();
    m_delay.start();
}

void RowCounter::countIfNew()
{
    if (m_running || m_wanted == m_counted) {
        return;
    }
    m_running = true;
    runInBackground(
        this, [config = m_config] { return countFiles(config); },
        [this, state = m_wanted](const Result<FileCounts>& counts) {
            m_running = false;
            m_counted = state;
            m_files = counts;
            if (m_counted == m_wanted) {
                divide();
            } else {
                countIfNew();
            }
        });
}

Result<RowCounter::FileCounts> RowCounter::countFiles(const RunConfig& config)
{
    const auto training = inspectDataset(config.dataset, config);
    if (!training) {
        return tl::unexpected(training.error());
    }
    const auto used = [&config](int64_t rows) { return std::min(rows, config.maxRows.value_or(rows)); };
    FileCounts counts { used(training->rows), static_cast<int64_t>(training->refused.size()), {} };
    if (!config.evalDataset.empty()) {
        const auto heldOut = inspectDataset(config.evalDataset, config);
        if (!heldOut) {
            return tl::unexpected(heldOut.error());
        }
        counts.evalRows = used(heldOut->rows);
    }
    return counts;
}

void RowCounter::divide()
{
    if (!*m_files) {
        m_count = tl::unexpected(m_files->error());
    } else {
        const FileCounts& files = **m_files;
        const int64_t drawn = files.evalRows ? 0 : heldOutCount(files.rows, m_config.evalShare);
        m_count = RowCount { files.rows - drawn, files.evalRows.value_or(drawn), files.refused };
    }
    emit changed();
}

} // namespace tunebench
