#include "ui/plan/plan_page.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/title.h"
#include "ui/form/config_model.h"
#include "ui/plan/card_chooser.h"
#include "ui/plan/fits_panel.h"
#include "ui/plan/measure_panel.h"
#include "ui/plan/shapes_panel.h"
#include "ui/plan/step_panel.h"
#include "ui/plan/why_table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>
#include <utility>

namespace tunebench {

namespace {

QString asInForm(const RunConfig& config, const char* key)
{
    return PlanPage::tr("as in the form (%1)").arg(QString::fromStdString(optionValue(config, key).get<std::string>()));
}

/// The form's own value first, then those of the list.
template <class Choice> QComboBox* makeChooser(std::initializer_list<Choice> choices, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->addItem({});
    for (const Choice choice : choices) {
        box->addItem(toQString(choiceName(choice)), static_cast<int>(choice));
    }
    return box;
}

template <class Choice> std::optional<Choice> chosen(const QComboBox& box)
{
    const QVariant value = box.currentData();
    return value.isValid() ? std::optional(static_cast<Choice>(value.toInt())) : std::nullopt;
}

void addLabelled(QHBoxLayout& line, const QString& text, QWidget* field)
{
    auto* label = new QLabel(text, field->parentWidget());
    label->setBuddy(field);
    line.addWidget(label);
    line.addWidget(field);
    line.addSpacing(12);
}

} // namespace

PlanPage::PlanPage(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_analysis(analysis)
    , m_canPlan(planner.plan != nullptr)
    , m_queue(planner, this)
    , m_cards(new CardChooser(model, this))
    , m_numbers(makeChooser({ NumberType::fp32, NumberType::bf16, NumberType::fp16, NumberType::nf4 }, this))
    , m_kinds(makeChooser({ GradientCheckpointing::off, GradientCheckpointing::selective, GradientCheckpointing::full,
                              GradientCheckpointing::offload },
          this))
    , m_fits(new FitsPanel(m_queue, this))
    , m_step(new StepPanel(m_queue, this))
    , m_why(new WhyTable(m_queue, this))
    , m_measure(new MeasurePanel(std::move(planner.probe), this))
    , m_shapes(new ShapesPanel(std::move(planner.shape), this))
    , m_columns(new QSplitter(Qt::Horizontal, this))
    , m_limitTask(this, [this](const PlanBasis& basis) { plan(basis); })
{
    m_columns->addWidget(m_fits);
    m_columns->addWidget(makeWithin());
    m_columns->setStretchFactor(0, 3);
    m_columns->setStretchFactor(1, 2);
    m_columns->setChildrenCollapsible(false);
    m_columns->setSizes({ 1100, 1000 }); // in this proportion
    auto* tabs = new QTabWidget(this);
    tabs->addTab(m_columns, tr("This run"));
    tabs->addTab(m_shapes, tr("What can my card train?"));
    for (QWidget* tab : { static_cast<QWidget*>(m_columns), static_cast<QWidget*>(m_shapes) }) {
        tab->setContentsMargins(8, 8, 8, 8);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addLayout(makeChoosers());
    layout->addWidget(tabs, 1);
    setFocusProxy(m_cards);

    connect(&m_model, &ConfigModel::changed, this, &PlanPage::refresh);
    connect(&m_analysis, &DataAnalysis::changed, this, &PlanPage::refresh);
    connectPlans();
}

void PlanPage::connectPlans()
{
    for (QComboBox* box : { m_numbers, m_kinds }) {
        connect(box, &QComboBox::activated, this, &PlanPage::refresh);
    }
    connect(m_fits, &FitsPanel::taken, this, &PlanPage::take);
    connect(m_why, &WhyTable::taken, this,
        [this](const ConfigChoice& choice, const QString& what) { m_model.replace(choice, what); });
    connect(m_why, &WhyTable::changed, this, [this] { m_measure->setChanges(m_why->changes()); });
    connect(m_measure, &MeasurePanel::measuringChanged, this, &PlanPage::measuringChanged);
    connect(m_measure, &MeasurePanel::measured, this, &PlanPage::addTimes);
    connect(&m_queue, &PlanQueue::becameIdle, this, &PlanPage::planned);
}

QLayout* PlanPage::makeChoosers()
{
    auto* choosers = new QHBoxLayout;
    addLabelled(*choosers, tr("Plan f&or"), m_cards);
    addLabelled(*choosers, tr("&Numbers"), m_numbers);
    addLabelled(*choosers, tr("&Checkpointing"), m_kinds);
    choosers->addStretch(1);
    m_numbers->setToolTip(
        tr("precision and compute of the plans; with method full compute alone, with nf4 precision alone"));
    m_kinds->setToolTip(tr("gradient_checkpointing of the plans"));
    return choosers;
}

QWidget* PlanPage::makeWithin()
{
    auto* panel = new QWidget(this);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_step, 1);
    layout->addSpacing(8);
    layout->addWidget(makeTitle(tr("From here: what each option alone would cost or save"), panel));
    layout->addWidget(m_why, 1);
    layout->addWidget(m_measure);
    return panel;
}

void PlanPage::setTraining(bool isTraining)
{
    m_measure->setTraining(isTraining);
}

bool PlanPage::isMeasuring() const
{
    return m_measure->isMeasuring();
}

QByteArray PlanPage::layoutState() const
{
    return m_columns->saveState();
}

void PlanPage::restoreLayout(const QByteArray& state)
{
    m_columns->restoreState(state);
}

void PlanPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    // The files may be different since the last look.
    m_analysis.setConfig(m_model.choice().values);
    refresh();
}

Variation PlanPage::shown() const
{
    return { .numbers = chosen<NumberType>(*m_numbers), .checkpointing = chosen<GradientCheckpointing>(*m_kinds) };
}

void PlanPage::refresh()
{
    const RunConfig& config = m_model.choice().values;
    m_numbers->setItemText(0, asInForm(config, config.method == Method::lora ? "precision" : "compute"));
    m_kinds->setItemText(0, asInForm(config, "gradient_checkpointing"));
    if (config.method == Method::full && shown().numbers == NumberType::nf4) { // which only frozen weights are held in
        m_numbers->setCurrentIndex(0);
    }
    const SharedData& data = m_analysis.data();
    if (!m_canPlan || data == nullptr || !runExtents(*data)) {
        clearPlans();
    } else if (isVisible()) {
        findLimit(data);
    }
}

void PlanPage::findLimit(const SharedData& data)
{
    m_limitTask.request([data, choice = m_model.choice()](const std::stop_token&) {
        return PlanBasis { data, choice, memoryLimitOf(choice.values) };
    });
}

void PlanPage::plan(const PlanBasis& basis)
{
    const Variation variation = shown();
    if (basis == m_basis && variation == m_plannedShown) {
        return;
    }
    m_basis = basis;
    m_plannedShown = variation;
    m_queue.setData(basis.data);
    m_queue.cancel();
    m_fits->plan(basis, variation);
    m_step->plan(basis);
    m_why->plan(basis);
    m_queue.askAsItRuns(basis.choice, PlanDetail::figures, [this](const Result<MemoryPlan>& plan) {
        if (plan) {
            m_measure->setPlan(m_basis.choice, *plan);
        }
    });
    m_queue.ask(varied(basis.choice, variation), PlanDetail::figures, [this](const Result<MemoryPlan>& plan) {
        if (plan) {
            m_shapes->plan(plan->config, m_basis.limit);
        } else {
            m_shapes->clearPlans();
        }
    });
    if (m_queue.idle()) {
        emit planned();
    }
}

void PlanPage::addTimes()
{
    if (m_measure->knowsTime()) {
        return;
    }
    m_queue.forget();
    m_shapes->clearPlans();
    m_basis = {};
    refresh();
    emit deviceMeasured();
}

void PlanPage::clearPlans()
{
    m_limitTask.cancel();
    m_queue.cancel();
    m_basis = {};
    m_fits->clearPlans(m_analysis.whyNoPlan());
    m_step->clearPlans();
    m_why->clearPlans();
    m_measure->clearPlans();
    m_shapes->clearPlans();
}

void PlanPage::take(const Variation& variation)
{
    ConfigChoice choice = varied(m_model.choice(), variation);
    if (choice.values != m_model.choice().values) {
        const RunConfig& values = choice.values;
        const QString text = tr("batch %1 and length %2 from the plan")
                                 .arg(formatCount(values.batchSize), formatCount(values.maxLength));
        m_model.replace(std::move(choice), text);
    }
}

} // namespace tunebench
