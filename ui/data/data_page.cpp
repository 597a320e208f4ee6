#include "ui/data/data_page.h"

#include "ui/data/cut_panel.h"
#include "ui/data/data_headline.h"
#include "ui/data/length_plot.h"
#include "ui/data/preview_table.h"
#include "ui/data/refusal_tree.h"
#include "ui/data/row_panel.h"
#include "ui/data/waste_table.h"
#include "ui/form/config_model.h"

#include <QDataStream>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>
#include <utility>

namespace tunebench {

DataPage::DataPage(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_analysis(analysis)
    , m_headline(new DataHeadline(analysis, this))
    , m_plot(new LengthPlot(this))
    , m_rows(new RowPanel(this))
    , m_left(new QSplitter(Qt::Vertical, this))
    , m_body(new QSplitter(Qt::Horizontal, this))
    , m_preview(new PreviewTable(this))
    , m_stack(new QStackedWidget(this))
{
    m_left->addWidget(m_plot);
    m_left->addWidget(m_rows);
    m_left->setStretchFactor(0, 2);
    m_left->setStretchFactor(1, 3);
    m_body->addWidget(m_left);
    m_body->addWidget(makeNumbers(std::move(planner)));
    m_body->setStretchFactor(0, 1);
    m_body->setStretchFactor(1, 0);
    for (QSplitter* splitter : { m_left, m_body }) {
        splitter->setChildrenCollapsible(false);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addWidget(m_headline);
    m_stack->addWidget(m_body);
    m_stack->addWidget(m_preview);
    layout->addWidget(m_stack, 1);
    setFocusProxy(m_plot);

    connect(&m_model, &ConfigModel::changed, this, &DataPage::refresh);
    connect(&m_analysis, &DataAnalysis::changed, this, &DataPage::refresh);
    connect(m_plot, &LengthPlot::maxLengthMoved, m_cuts, &CutPanel::preview);
    connect(m_plot, &LengthPlot::maxLengthChosen, this, &DataPage::choose);
    connect(m_cuts, &CutPanel::maxLengthWanted, this, &DataPage::choose);
    connect(
        m_refusals, &RefusalTree::rowWanted, this, [this](qint64 row) { m_rows->showRow(static_cast<size_t>(row)); });
}

QWidget* DataPage::makeNumbers(RunPlanner planner)
{
    auto* panel = new QWidget(this);
    m_cuts = new CutPanel(std::move(planner), panel);
    m_waste = new WasteTable(panel);
    m_refusals = new RefusalTree(panel);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(20);
    layout->addWidget(m_cuts);
    layout->addWidget(m_waste);
    layout->addWidget(m_refusals, 1);
    layout->addStretch(0);
    constexpr int letters = 78;
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(fontMetrics().averageCharWidth() * letters);
    scroll->setWidget(panel);
    return scroll;
}

void DataPage::showCutAnswers()
{
    m_cutAnswersWanted = true;
    refresh();
}

QByteArray DataPage::layoutState() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << m_left->saveState() << m_body->saveState();
    return state;
}

void DataPage::restoreLayout(const QByteArray& state)
{
    QByteArray left;
    QByteArray body;
    QDataStream stream(state);
    stream >> left >> body;
    m_left->restoreState(left);
    m_body->restoreState(body);
}

void DataPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    // The files may be different since the last look.
    m_analysis.setConfig(m_model.choice().values);
    refresh();
}

void DataPage::refresh()
{
    const SharedData& data = m_analysis.data();
    m_body->setEnabled(data != nullptr);
    showPreview();
    if (data == nullptr || !isVisible()) {
        return;
    }
    const RunConfig& config = m_model.choice().values;
    if (const bool fresh = data != m_shownData; fresh || config != m_shownConfig) {
        m_shownConfig = config;
        if (fresh) {
            m_shownData = data;
            showData();
        }
        showChoice();
    }
    if (std::exchange(m_cutAnswersWanted, false)) {
        m_rows->showFirstLosing();
    }
}

void DataPage::showPreview()
{
    const SharedPreview& preview = m_analysis.preview();
    if (m_analysis.data() != nullptr || preview == nullptr) {
        m_stack->setCurrentWidget(m_body);
        return;
    }
    if (std::exchange(m_shownPreview, preview) != preview) {
        m_preview->showPreview(*preview);
    }
    m_stack->setCurrentWidget(m_preview);
}

void DataPage::showData()
{
    const bool haveTokens = !m_shownData->inspection.extents.empty();
    const bool canShowRows
        = m_shownData->noTokens.isEmpty() && m_shownData->inspection.format != DatasetFormat::preference;
    m_cuts->setVisible(haveTokens);
    m_waste->setVisible(haveTokens);
    m_plot->setVisible(haveTokens);
    m_rows->setVisible(canShowRows);
    m_left->setVisible(haveTokens || canShowRows);
    m_plot->setLengths(m_shownData->lengths, m_shownData->histogram);
    m_plot->setMost(mostMaxLength(*m_shownData));
    m_refusals->showRefusals(m_shownData->refusals);
    m_refusals->setVisible(!m_shownData->refusals.empty());
    m_cuts->setData(m_shownData);
    m_rows->setData(m_shownData);
}

void DataPage::showChoice()
{
    m_headline->setConfig(m_shownConfig);
    m_plot->setMaxLength(m_shownConfig.maxLength);
    if (m_cuts->isVisibleTo(this)) {
        m_cuts->setChoice(m_model.choice());
        m_waste->show(m_shownData, m_shownConfig);
    }
    if (m_rows->isVisibleTo(this)) {
        m_rows->setConfig(m_shownConfig);
    }
}

void DataPage::choose(qint64 maxLength)
{
    m_model.set("max_length", maxLength);
}

} // namespace tunebench
