#include "ui/plan/shapes_panel.h"

#include "core/config/cards.h"
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

/// A way to train, a column of the table.
struct TrainingWay {
    const char* title; ///< to be translated
    Method method;
    Objective objective;
    std::optional<NumberType> precision {}; ///< nothing: as the form has it, where that is for it
};

constexpr std::array ways {
    TrainingWay { QT_TRANSLATE_NOOP("tunebench::ShapesPanel", "LoRA"), Method::lora, Objective::sft },
    TrainingWay { QT_TRANSLATE_NOOP("tunebench::ShapesPanel", "QLoRA"), Method::lora, Objective::sft, NumberType::nf4 },
    TrainingWay { QT_TRANSLATE_NOOP("tunebench::ShapesPanel", "All weights"), Method::full, Objective::sft,
        NumberType::fp32 }, // what is trained is held so
    TrainingWay { QT_TRANSLATE_NOOP("tunebench::ShapesPanel", "LoRA with DPO"), Method::lora, Objective::dpo },
};
constexpr int columnsBefore = 2; // name and size

/// Options that any model can be trained with, the numbers and the recomputing of the given ones.
RunConfig forAnyModel(RunConfig config, const TrainingWay& way)
{
    config.adapter.reset();
    config.modulesToSave.clear();
    config.loraTargets = { "all-linear" };
    if (way.precision) {
        config.precision = *way.precision;
    } else if (config.method == Method::full || config.precision == NumberType::nf4) {
        config.precision = config.compute;
    }
    config.method = way.method;
    config.objective = way.objective;
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

QString deviceText(const RunConfig& config)
{
    if (config.device == "cpu") {
        return ShapesPanel::tr("this computer's processor");
    }
    const Card* card = namedCard(config);
    return card != nullptr ? ShapesPanel::tr("the %1").arg(QString::fromStdString(card->name))
                           : QString::fromStdString(config.device);
}

QString longestText(const ShapeFit& fit)
{
    const QString tokens = formatCount(fit.longest);
    if (fit.longest == 0) {
        return ShapesPanel::tr("no row fits");
    }
    if (!fit.isMost) {
        return ShapesPanel::tr("up to %1 tokens").arg(tokens);
    }
    return fit.longest == ShapeFit::mostLength ? ShapesPanel::tr("%1 tokens and more").arg(tokens)
                                               : ShapesPanel::tr("%1 tokens, all it reads").arg(tokens);
}

QString usualText(const ShapeFit& fit)
{
    if (fit.rows == 0) {
        return ShapesPanel::tr("%1 need %2").arg(formatCount(ShapeFit::usualLength), formatBytes(*fit.least));
    }
    QString rows = ShapesPanel::tr("%1 at once").arg(formatCount(fit.rows));
    if (!fit.secondsPerRow) {
        return rows;
    }
    constexpr double thousand = 1000;
    const QString text = fit.isAtBest ? ShapesPanel::tr("%1 \u00b7 at best %2 tokens/s \u00b7 %3")
                                      : ShapesPanel::tr("%1 \u00b7 %2 tokens/s \u00b7 %3");
    return text.arg(rows, formatSpeed(fit.tokensPerSecond), formatDuration(*fit.secondsPerRow * thousand));
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
    QStringList names { tr("Model"), tr("Parameters") };
    for (const TrainingWay& way : ways) {
        names << tr(way.title);
    }
    m_table->setColumnCount(static_cast<int>(names.size()));
    m_table->setHorizontalHeaderLabels(names);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    for (int column = 0; column < columnsBefore; ++column) {
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(2 * fontMetrics().lineSpacing() + 8);
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
        tr("Published models on %1 (%2), planned without their files. Each cell: the longest row that can be trained "
           "alone; below, how many rows of %3 tokens go at once, the speed, and the time for 1,000 of them (of DPO: "
           "pairs of two such rows). LoRA on all projections with weights held as %4, QLoRA as nf4, all weights as "
           "fp32; compute %5, gradient_checkpointing %6, optimizer %7. Speed and time are those of %8.")
            .arg(formatBytes(m_limit.bytes), m_limit.name, formatCount(ShapeFit::usualLength),
                toQString(choiceName(forAnyModel(m_config, ways.front()).precision)),
                toQString(choiceName(m_config.compute)), toQString(choiceName(m_config.gradientCheckpointing)),
                toQString(choiceName(m_config.optimizer)), deviceText(m_config)));
    m_table->setRowCount(static_cast<int>(modelShapes().size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ModelShape& shape = modelShapes()[static_cast<size_t>(row)];
        setText(row, 0, QString::fromStdString(shape.name), {});
        setText(row, 1, millions(parameterCount(shape.spec)), {});
        for (size_t way = 0; way < ways.size(); ++way) {
            ask(row, way);
        }
    }
}

void ShapesPanel::ask(int row, size_t way)
{
    const int column = columnsBefore + static_cast<int>(way);
    setText(row, column, QStringLiteral("\u2026"), {});
    ++m_unanswered;
    const auto work = [planner = m_planner, config = forAnyModel(m_config, ways[way]), row, limit = m_limit.bytes,
                          stop = m_stop.get_token()] {
        return findShapeFit(planner, config, modelShapes()[static_cast<size_t>(row)].spec, limit, stop);
    };
    m_work.add(work, [this, row, column, stop = m_stop.get_token()](const ShapeFit& fit) {
        if (!stop.stop_requested()) {
            showFit(row, column, fit);
            if (--m_unanswered == 0) {
                emit planned();
            }
        }
    });
}

void ShapesPanel::showFit(int row, int column, const ShapeFit& fit)
{
    if (!fit.least) {
        setText(row, column, unknownText(), QString::fromStdString(fit.problem));
        return;
    }
    QString help = tr("%1 tokens at once need %2.").arg(formatCount(ShapeFit::usualLength), formatBytes(*fit.least));
    if (!fit.noTime.empty()) {
        help += ' ' + QString::fromStdString(fit.noTime);
    }
    if (fit.isAtBest) {
        help += ' ' + tr("Speed and time are what its published speeds allow; no card reaches them all the time.");
    }
    setText(row, column, longestText(fit) + '\n' + usualText(fit), help);
}

void ShapesPanel::setText(int row, int column, const QString& text, const QString& help)
{
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignHCenter));
    item->setToolTip(help);
    m_table->setItem(row, column, item);
}

} // namespace tunebench
