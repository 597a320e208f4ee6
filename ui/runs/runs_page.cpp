#include "ui/runs/runs_page.h"

#include "ui/runs/curve_cache.h"
#include "ui/runs/overlay_view.h"
#include "ui/runs/run_listing.h"
#include "ui/runs/run_view.h"
#include "ui/runs/runs_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <utility>

namespace tunebench {

namespace {

/// Cells with room around their text.
class RoomyDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr QSize room(12, 8);
        return QStyledItemDelegate::sizeHint(option, index) + room;
    }
};

} // namespace

RunsPage::RunsPage(std::filesystem::path runs, QWidget* parent)
    : QWidget(parent)
    , m_runs(std::move(runs))
    , m_model(new RunsModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_listing(new RunListing(m_runs, this))
    , m_curves(new CurveCache(this))
    , m_table(new QTreeView(this))
    , m_empty(new QLabel(tr("No runs yet. A run appears here as soon as it starts."), this))
    , m_view(new RunView(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
{
    makeTable();
    auto* list = new QWidget(this);
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins({});
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    listLayout->addWidget(m_empty);
    listLayout->addWidget(m_table, 1);
    m_splitter->addWidget(list);
    m_splitter->addWidget(m_view);
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    m_splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_splitter);

    connect(m_listing, &RunListing::listed, this, &RunsPage::take);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunsPage::readOn);
    connect(m_model, &RunsModel::tickedChanged, this, [this] {
        readOn();
        if (m_model->ticked().size() > 1) {
            m_view->showOverlay();
        }
    });
    connect(m_curves, &CurveCache::arrived, this, [this] {
        showCurrent();
        showOverlay();
    });
    connect(m_view, &RunView::useOptions, this, &RunsPage::useOptions);
    connect(m_view, &RunView::goOnRequested, this, [this] {
        if (const RunRecord* run = current()) {
            emit goOnRequested(run->path);
        }
    });
    connect(m_view, &RunView::deleteRequested, this, &RunsPage::askToDelete);
}

void RunsPage::makeTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(Qt::UserRole);
    m_table->setModel(m_sorted);
    m_table->setItemDelegate(new RoomyDelegate(m_table));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunsModel::started, Qt::DescendingOrder);
    m_table->setAccessibleName(tr("Saved runs"));
    m_table->setFrameShape(QFrame::NoFrame);
    constexpr int swatch = 12;
    m_table->setIconSize({ swatch, swatch });
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->header()->setSectionResizeMode(RunsModel::name, QHeaderView::Stretch);
    m_table->setToolTip(tr("Tick runs to lay their curves over one another."));
}

void RunsPage::open(const std::filesystem::path& run)
{
    m_toOpen = run;
    m_listing->refresh();
}

QByteArray RunsPage::layoutState() const
{
    return m_splitter->saveState();
}

void RunsPage::restoreLayout(const QByteArray& state)
{
    m_splitter->restoreState(state);
}

void RunsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_listing->setWanted(true);
}

void RunsPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_listing->setWanted(false);
}

void RunsPage::take(const std::vector<RunRecord>& runs)
{
    m_model->setRuns(runs);
    m_empty->setVisible(runs.empty());
    m_table->setVisible(!runs.empty());
    const int wanted = m_toOpen.empty() ? -1 : m_model->rowOf(m_toOpen);
    if (wanted >= 0) {
        m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(wanted, 0)));
        m_toOpen.clear();
    } else if (!m_table->currentIndex().isValid() && !runs.empty()) {
        m_table->setCurrentIndex(m_sorted->index(0, 0));
    }
    readOn();
}

void RunsPage::readOn()
{
    if (const RunRecord* run = current()) {
        m_curves->update(run->path);
    }
    for (const auto& run : m_model->ticked()) {
        m_curves->update(run.path);
    }
    showCurrent();
    showOverlay();
}

const RunRecord* RunsPage::current() const
{
    const QModelIndex index = m_sorted->mapToSource(m_table->currentIndex());
    return index.isValid() ? m_model->run(index.row()) : nullptr;
}

void RunsPage::showCurrent()
{
    const RunRecord* run = current();
    m_view->setRun(run);
    const auto curves = run == nullptr ? nullptr : m_curves->known(run->path);
    if (curves != m_shown) {
        m_shown = curves;
        m_view->setCurves(curves == nullptr ? RunCurves {} : *curves);
    }
}

void RunsPage::showOverlay()
{
    std::vector<OverlaidRun> runs;
    std::vector<std::shared_ptr<const RunCurves>> overlaid;
    for (const auto& [path, name, colour] : m_model->ticked()) {
        if (const auto curves = m_curves->known(path)) {
            runs.push_back({ name, colour, curves });
            overlaid.push_back(curves);
        }
    }
    if (overlaid != m_overlaid) {
        m_overlaid = std::move(overlaid);
        m_view->overlay()->showRuns(std::move(runs));
    }
}

void RunsPage::askToDelete()
{
    const RunRecord* run = current();
    if (run == nullptr) {
        return;
    }
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete a run"),
        tr("Delete the run \"%1\" with its curves and what it learnt?").arg(QString::fromStdString(run->name)),
        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* yes = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, path = run->path] { remove(path); });
    box->open();
}

void RunsPage::remove(const std::filesystem::path& run)
{
    if (const auto result = deleteRun(run); !result) {
        auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete a run"),
            QString::fromStdString(result.error().message), QMessageBox::Ok, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    }
    m_listing->refresh();
}

} // namespace tunebench
