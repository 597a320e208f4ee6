#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <string>

namespace tunebench {

/// How the usable rows of a configuration divide.
struct RowCount {
    int64_t training = 0;
    int64_t heldOut = 0;
    int64_t refused = 0;

    bool operator==(const RowCount&) const = default;
};

/// Counts the rows of the chosen dataset on another thread, a moment after the last change. Files are read again only
/// when they or the options that decide about rows have changed.
class RowCounter : public QObject {
    Q_OBJECT
public:
    explicit RowCounter(QObject* parent = nullptr);

    void setConfig(const RunConfig& config);

    /// Nothing while rows are being counted.
    const std::optional<Result<RowCount>>& count() const { return m_count; }

signals:
    void changed();

private:
    struct FileCounts {
        int64_t rows = 0, refused = 0;
        std::optional<int64_t> evalRows;
    };
    static Result<FileCounts> countFiles(const RunConfig& config);
    void countIfNew();
    void divide();

    RunConfig m_config;
    std::string m_wanted, m_counted; ///< what decides about the files' counts, as text
    std::optional<Result<FileCounts>> m_files;
    std::optional<Result<RowCount>> m_count;
    bool m_running = false;
    QTimer m_delay;
};

} // namespace tunebench
