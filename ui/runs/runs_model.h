#pragma once

#include "core/runs/run_library.h"

#include <QAbstractTableModel>

#include <map>
#include <vector>

namespace tunebench {

/// The saved runs as a table; the first column can be ticked for the overlay.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { name, state, started, model, loss, evalLoss, speed, peak, columns };

    using QAbstractTableModel::QAbstractTableModel;

    /// Takes a new listing; rows of the same path stay the same rows, so that selection and ticks hold.
    void setRuns(std::vector<RunRecord> runs);

    const RunRecord* run(int row) const;
    int rowOf(const std::filesystem::path& path) const; ///< -1 when there is none

    /// The ticked runs in the order of ticking, each with the colour it keeps.
    struct Ticked {
        std::filesystem::path path;
        QString name;
        int colour;
    };
    std::vector<Ticked> ticked() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void tickedChanged();

private:
    QString text(const RunRecord& run, int column) const;
    QVariant sortKey(const RunRecord& run, int column) const;
    QVariant decoration(const RunRecord& run) const;

    std::vector<RunRecord> m_runs;
    std::map<std::filesystem::path, int> m_ticked; ///< path to colour
};

/// The state in words.
QString runStateText(RunState state);

} // namespace tunebench
