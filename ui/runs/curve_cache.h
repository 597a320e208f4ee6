#pragma once

#include "core/runs/run_library.h"

#include <QObject>

#include <map>
#include <memory>

namespace tunebench {

/// The curves of saved runs, read on another thread and kept until the run has gone on.
class CurveCache : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// What is known of a run's curves, or nullptr.
    std::shared_ptr<const RunCurves> known(const std::filesystem::path& run) const;

    /// Reads the curves when they are not known or the run has gone on since.
    void update(const std::filesystem::path& run);

signals:
    void arrived(const std::filesystem::path& run);

private:
    struct Entry {
        std::shared_ptr<const RunCurves> curves;
        std::string version; ///< of the run whose curves these are
        bool reading = false;
    };
    std::map<std::filesystem::path, Entry> m_entries;
};

} // namespace tunebench
