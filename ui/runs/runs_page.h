#pragma once

#include "core/runs/run_library.h"

#include <QWidget>

#include <filesystem>

class QLabel;
class QSortFilterProxyModel;
class QSplitter;
class QTreeView;

namespace tunebench {

class CurveCache;
class RunListing;
class RunView;
class RunsModel;

/// The saved runs: a list, and under it the opened run or the overlay of the ticked ones.
class RunsPage : public QWidget {
    Q_OBJECT
public:
    RunsPage(std::filesystem::path runs, QWidget* parent);

    RunsModel* model() const { return m_model; }
    RunListing* listing() const { return m_listing; }

    /// Opens a run once it is listed.
    void open(const std::filesystem::path& run);

    QByteArray layoutState() const;
    void restoreLayout(const QByteArray& state);

signals:
    void useOptions(const tunebench::RunConfig& config);
    void goOnRequested(const std::filesystem::path& run);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeTable();
    void take(const std::vector<RunRecord>& runs);
    const RunRecord* current() const;
    void readOn(); ///< the curves of the opened and the ticked runs
    void showCurrent();
    void showOverlay();
    void askToDelete();
    void remove(const std::filesystem::path& run);

    std::filesystem::path m_runs, m_toOpen;
    RunsModel* m_model;
    QSortFilterProxyModel* m_sorted;
    RunListing* m_listing;
    CurveCache* m_curves;
    QTreeView* m_table;
    QLabel* m_empty;
    RunView* m_view;
    QSplitter* m_splitter;
    std::shared_ptr<const RunCurves> m_shown;
    std::vector<std::shared_ptr<const RunCurves>> m_overlaid;
};

} // namespace tunebench
