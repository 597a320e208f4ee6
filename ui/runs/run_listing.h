#pragma once

#include "core/runs/run_library.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace tunebench {

/// Reads the list of runs on another thread: at once when the folder changes, and every few seconds while it is wanted,
/// since runs write on inside their folders.
class RunListing : public QObject {
    Q_OBJECT
public:
    explicit RunListing(std::filesystem::path runs, QObject* parent);

    void setWanted(bool wanted);
    void refresh();

signals:
    void listed(const std::vector<tunebench::RunRecord>& runs);

private:
    std::filesystem::path m_runs;
    QFileSystemWatcher m_watcher;
    QTimer m_timer;
    bool m_running = false, m_again = false;
};

} // namespace tunebench
