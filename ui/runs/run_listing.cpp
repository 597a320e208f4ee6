#include "ui/runs/run_listing.h"

#include "ui/base/background.h"

#include <utility>

namespace tunebench {

RunListing::RunListing(std::filesystem::path runs, QObject* parent)
    : QObject(parent)
    , m_runs(std::move(runs))
{
    constexpr int interval = 2000; // ms
    m_timer.setInterval(interval);
    connect(&m_timer, &QTimer::timeout, this, &RunListing::refresh);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &RunListing::refresh);
}

void RunListing::setWanted(bool wanted)
{
    if (wanted) {
        refresh();
        m_timer.start();
    } else {
        m_timer.stop();
    }
}

void RunListing::refresh()
{
    if (m_running) {
        m_again = true;
        return;
    }
    m_running = true;
    runInBackground(
        this, [runs = m_runs] { return listRuns(runs); },
        [this](const std::vector<RunRecord>& runs) {
            m_running = false;
            // A folder that did not exist could not be watched before.
            if (m_watcher.directories().isEmpty() && std::filesystem::exists(m_runs)) {
                m_watcher.addPath(QString::fromStdString(m_runs.string()));
            }
            emit listed(runs);
            if (std::exchange(m_again, false)) {
                refresh();
            }
        });
}

} // namespace tunebench
