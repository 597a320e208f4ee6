#include "ui/plan/shapes_panel.h"

#include "core/config/choices.h"
#include "core/model/model_shapes.h"
#include "ui/base/format.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace tunebench {

namespace {

constexpr std::array methods { Method::lora, Method::full };
constexpr int columnsBefore = 2; // name and size
constexpr int columnsOfMethod = 3;

int firstColumn(Method method)
{
    return columnsBefore + (method == Method::lora ? 0 : columnsOfMethod);
}

/// Options that any model can be trained with, the numbers and the recomputing of the given ones.
RunConfig forAnyModel(RunConfig config, Method method)
{
    config.adapter.reset();
    config.modulesToSave.clear();
    config.loraTargets = { "all-linear" };
    if (method == Method::full) {
        config.precision = NumberType::fp32; // what is trained is held so
    } else if (config.method == Method::full) {
        config.precision = config.compute;
    }
    config.method = method;
    return config;
}

/// What does not count for full rows of any length is as by default.
RunConfig withoutRows(RunConfig config)
{
    const RunConfig usual;
    config.model = usual.model;
    config.dataset = usual.dataset;
    config.maxLength = usual.maxLength;
    config.batchSize = usual.batchSize;
    config.accumulationSteps = usual.accumulationSteps;
    return config;
}

QString millions(int64_t parameters)
{
    constexpr int64_t million = 1000000;
    return ShapesPanel::tr("%1 M").arg(formatCount((parameters + million / 2) / million));
}

} // namespace

ShapesPanel::ShapesPanel(ShapePlanner planner, QWidget* parent)
    : QWidget(parent)
    , m_planner(std::move(planner))
    , m_work(this)
    , m_sentence(new QLabel(this))
    , m_table(new QTableWidget(this))
{
    m_sentence->setWordWrap(true);
    const QString usual = formatCount(ShapeFit::usualLength);
    QStringList names { tr("Model"), tr("Parameters") };
    for (const QString& method : { tr("LoRA"), tr("All weights") }) {
        names << tr("%1:\nlongest row").arg(method) << tr("%1: rows of\n%2 at once").arg(method, usual)
              << tr("%1: 1,000\nrows of %2").arg(method, usual);
    }
    m_table->setColumnCount(static_cast<int>(names.size()));
    m_table->setHorizontalHeaderLabels(names);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setAlternatingRowColors(true);
    m_table->setAccessibleName(tr("What can be trained, by model"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(8);
    layout->addWidget(m_sentence);
    layout->addWidget(m_table, 1);
    clearPlans();
}

ShapesPanel::~ShapesPanel()
{
    stop();
}

void ShapesPanel::stop()
{
    m_work.clear();
    m_stop.request_stop();
    m_stop = {};
    m_unanswered = 0;
}

void ShapesPanel::clearPlans()
{
    stop();
    m_config = {};
    m_limit = {};
    m_isWanted = false;
    m_table->setRowCount(0);
    m_sentence->setText(tr("All of this is planned once the form's own run can be planned and the card's memory is "
                           "known."));
}

void ShapesPanel::plan(const RunConfig& config, const MemoryLimit& limit)
{
    const RunConfig wanted = withoutRows(config);
    if (wanted == m_config && limit.bytes == m_limit.bytes && limit.name == m_limit.name) {
        return;
    }
    clearPlans();
    if (m_planner == nullptr || limit.bytes == 0) {
        return;
    }
    m_config = wanted;
    m_limit = limit;
    m_isWanted = true;
    if (isVisible()) {
        start();
    }
}

void ShapesPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    start();
}

void ShapesPanel::start()
{
    if (!std::exchange(m_isWanted, false)) {
        return;
    }
    m_sentence->setText(
        tr("Published models on %1 (%2), planned without their files: LoRA on all projections with weights held as %3, "
           "all weights as fp32; compute %4, gradient_checkpointing %5, optimizer %6. The longest row is trained "
           "alone.")
            .arg(formatBytes(m_limit.bytes), m_limit.name,
                toQString(choiceName(forAnyModel(m_config, Method::lora).precision)),
                toQString(choiceName(m_config.compute)), toQString(choiceName(m_config.gradientCheckpointing)),
                toQString(choiceName(m_config.optimizer))));
    m_table->setRowCount(static_cast<int>(modelShapes().size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ModelShape& shape = modelShapes()[static_cast<size_t>(row)];
        setText(row, 0, QString::fromStdString(shape.name), {});
        setText(row, 1, millions(parameterCount(shape.spec)), {});
        for (const Method method : methods) {
            ask(row, method);
        }
    }
}

void ShapesPanel::ask(int row, Method method)
{
    for (int column = 0; column < columnsOfMethod; ++column) {
        setText(row, firstColumn(method) + column, QStringLiteral("\u2026"), {});
    }
    ++m_unanswered;
    const auto work = [planner = m_planner, config = forAnyModel(m_config, method), row, limit = m_limit.bytes,
                          stop = m_stop.get_token()] {
        return findShapeFit(planner, config, modelShapes()[static_cast<size_t>(row)].spec, limit, stop);
    };
    m_work.add(work, [this, row, method, stop = m_stop.get_token()](const ShapeFit& fit) {
        if (!stop.stop_requested()) {
            showFit(row, method, fit);
            if (--m_unanswered == 0) {
                emit planned();
            }
        }
    });
}

void ShapesPanel::showFit(int row, Method method, const ShapeFit& fit)
{
    const int column = firstColumn(method);
    if (!fit.least) {
        for (int i = 0; i < columnsOfMethod; ++i) {
            setText(row, column + i, unknownText(), QString::fromStdString(fit.problem));
        }
        return;
    }
    const QString need
        = tr("One row of %1 tokens needs %2.").arg(formatCount(ShapeFit::usualLength), formatBytes(*fit.least));
    const QString longest = fit.isMost && fit.longest == ShapeFit::mostLength
        ? tr("%1 or more").arg(formatCount(fit.longest))
        : fit.isMost ? tr("%1 (all)").arg(formatCount(fit.longest))
                     : formatCount(fit.longest);
    setText(row, column, fit.longest > 0 ? longest : tr("none"), need);
    setText(row, column + 1, fit.rows > 0 ? formatCount(fit.rows) : tr("needs %1").arg(formatBytes(*fit.least)), need);
    constexpr double rows = 1000;
    setText(row, column + 2, fit.secondsPerRow ? formatDuration(*fit.secondsPerRow * rows) : unknownText(),
        fit.secondsPerRow ? need : tr("The time is known of a device that has been measured (tunebench-cli doctor)."));
}

void ShapesPanel::setText(int row, int column, const QString& text, const QString& help)
{
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignHCenter));
    item->setToolTip(help);
    m_table->setItem(row, column, item);
}

} // namespace tunebench
