#include "ui/runs/runs_model.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QPalette>

#include <algorithm>
#include <limits>
#include <set>

namespace tunebench {

namespace {

QString arrow(std::optional<double> from, std::optional<double> to)
{
    if (!from && !to) {
        return unknownText();
    }
    return from == to ? formatLoss(to) : QStringLiteral("%1 \u2192 %2").arg(formatLoss(from), formatLoss(to));
}

QVariant number(std::optional<double> value)
{
    return value.value_or(std::numeric_limits<double>::infinity());
}

QColor stateColour(const RunRecord& run)
{
    const QPalette palette = QGuiApplication::palette();
    switch (run.summary.state) {
    case RunState::running:
    case RunState::paused:
        return palette.color(QPalette::Link);
    case RunState::finished:
        return goodColour(palette);
    case RunState::failed:
        return errorColour(palette);
    case RunState::stopped:
    case RunState::interrupted:
        break;
    }
    return warningColour(palette);
}

} // namespace

void RunsModel::setRuns(std::vector<RunRecord> runs)
{
    std::set<std::filesystem::path> paths;
    for (const RunRecord& run : runs) {
        paths.insert(run.path);
    }
    for (int row = static_cast<int>(m_runs.size()) - 1; row >= 0; --row) {
        if (!paths.contains(m_runs[static_cast<size_t>(row)].path)) {
            beginRemoveRows({}, row, row);
            m_ticked.erase(m_runs[static_cast<size_t>(row)].path);
            m_runs.erase(m_runs.begin() + row);
            endRemoveRows();
        }
    }
    for (RunRecord& run : runs) {
        const int row = rowOf(run.path);
        if (row >= 0) {
            m_runs[static_cast<size_t>(row)] = std::move(run);
        } else {
            const int end = static_cast<int>(m_runs.size());
            beginInsertRows({}, end, end);
            m_runs.push_back(std::move(run));
            endInsertRows();
        }
    }
    if (!m_runs.empty()) {
        emit dataChanged(index(0, 0), index(static_cast<int>(m_runs.size()) - 1, columns - 1));
    }
}

const RunRecord* RunsModel::run(int row) const
{
    return row >= 0 && row < rowCount() ? &m_runs[static_cast<size_t>(row)] : nullptr;
}

int RunsModel::rowOf(const std::filesystem::path& path) const
{
    const auto found
        = std::find_if(m_runs.begin(), m_runs.end(), [&path](const RunRecord& run) { return run.path == path; });
    return found == m_runs.end() ? -1 : static_cast<int>(found - m_runs.begin());
}

std::vector<RunsModel::Ticked> RunsModel::ticked() const
{
    std::vector<Ticked> runs;
    for (const auto& [path, colour] : m_ticked) {
        runs.push_back({ path, QString::fromStdString(path.filename().string()), colour });
    }
    std::sort(runs.begin(), runs.end(), [](const Ticked& a, const Ticked& b) { return a.colour < b.colour; });
    return runs;
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    const RunRecord* record = run(index.row());
    if (record == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return text(*record, index.column());
    case Qt::UserRole:
        return sortKey(*record, index.column());
    case Qt::ToolTipRole:
        return QString::fromStdString(!record->problem.empty() ? record->problem : record->summary.reason);
    case Qt::ForegroundRole:
        return index.column() == state ? stateColour(*record) : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() >= loss ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::CheckStateRole:
        return index.column() == name ? QVariant(m_ticked.contains(record->path) ? Qt::Checked : Qt::Unchecked)
                                      : QVariant();
    case Qt::DecorationRole:
        return index.column() == name ? decoration(*record) : QVariant();
    default:
        return {};
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const RunRecord* record = run(index.row());
    if (record == nullptr || role != Qt::CheckStateRole || index.column() != name) {
        return false;
    }
    if (value.toInt() == Qt::Checked) {
        std::set<int> used;
        for (const auto& entry : m_ticked) {
            used.insert(entry.second);
        }
        int colour = 0;
        while (used.contains(colour)) {
            ++colour;
        }
        m_ticked.emplace(record->path, colour);
    } else {
        m_ticked.erase(record->path);
    }
    emit dataChanged(index, index);
    emit tickedChanged();
    return true;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section >= loss ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                               : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    }
    const QStringList titles { tr("Run"), tr("State"), tr("Started"), tr("Model"), tr("Loss"), tr("Evaluation loss"),
        tr("Tokens/s"), tr("Peak memory") };
    return role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == name ? flags | Qt::ItemIsUserCheckable : flags;
}

QString RunsModel::text(const RunRecord& run, int column) const
{
    const RunSummary& summary = run.summary;
    switch (column) {
    case name:
        return QString::fromStdString(run.name);
    case state:
        return run.problem.empty() ? runStateText(summary.state) : tr("damaged");
    case started:
        return formatTime(summary.startedAt);
    case model:
        return QString::fromStdString(run.model);
    case loss:
        return arrow(summary.firstLoss, summary.lastLoss);
    case evalLoss:
        return arrow(summary.firstEvalLoss, summary.lastEvalLoss);
    case speed:
        return formatSpeed(summary.tokensPerSecond);
    case peak:
        return summary.peakAllocated > 0 ? formatBytes(summary.peakAllocated) : unknownText();
    default:
        return {};
    }
}

QVariant RunsModel::sortKey(const RunRecord& run, int column) const
{
    switch (column) {
    case started:
        return QString::fromStdString(run.summary.startedAt);
    case loss:
        return number(run.summary.lastLoss);
    case evalLoss:
        return number(run.summary.lastEvalLoss);
    case speed:
        return run.summary.tokensPerSecond.value_or(0);
    case peak:
        return static_cast<qlonglong>(run.summary.peakAllocated);
    default:
        return text(run, column);
    }
}

QVariant RunsModel::decoration(const RunRecord& run) const
{
    const auto ticked = m_ticked.find(run.path);
    return ticked == m_ticked.end() ? QVariant(QColor(Qt::transparent))
                                    : QVariant(seriesColour(QGuiApplication::palette(), ticked->second));
}

QString runStateText(RunState state)
{
    const auto text = [](const char* source) { return QCoreApplication::translate("RunState", source); };
    switch (state) {
    case RunState::running:
        return text(QT_TRANSLATE_NOOP("RunState", "running"));
    case RunState::paused:
        return text(QT_TRANSLATE_NOOP("RunState", "paused"));
    case RunState::finished:
        return text(QT_TRANSLATE_NOOP("RunState", "finished"));
    case RunState::stopped:
        return text(QT_TRANSLATE_NOOP("RunState", "stopped"));
    case RunState::failed:
        return text(QT_TRANSLATE_NOOP("RunState", "failed"));
    case RunState::interrupted:
        break;
    }
    return text(QT_TRANSLATE_NOOP("RunState", "interrupted"));
}

} // namespace tunebench
