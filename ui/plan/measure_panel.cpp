#include "ui/plan/measure_panel.h"

#include "ui/base/format.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace tunebench {

namespace {

QString cell(const QString& text)
{
    return QStringLiteral("<td align=right style='padding-left:14px'>%1</td>").arg(text.toHtmlEscaped());
}

/// "equal", "1.50 MiB more".
QString apart(const Probe& probe)
{
    const int64_t more = probe.measuredPeak - probe.plannedPeak;
    return more == 0 ? MeasurePanel::tr("equal to the byte")
                     : MeasurePanel::tr(more < 0 ? "%1 less" : "%1 more").arg(formatBytes(std::abs(more)));
}

QString header()
{
    QString row = QStringLiteral("<tr><td></td>");
    for (const QString& text : { MeasurePanel::tr("memory planned"), MeasurePanel::tr("measured"),
             MeasurePanel::tr("a step planned"), MeasurePanel::tr("measured"), MeasurePanel::tr("speed") }) {
        row += cell(text);
    }
    return row + QStringLiteral("</tr>");
}

QString tableRow(const QString& name, const Result<Probe>& probe)
{
    QString row = QStringLiteral("<tr><td>%1</td>").arg(name.toHtmlEscaped());
    if (!probe) {
        return row
            + QStringLiteral("<td colspan=5 style='padding-left:14px'>%1</td></tr>")
                  .arg(QString::fromStdString(probe.error().message).toHtmlEscaped());
    }
    row += cell(formatBytes(probe->plannedPeak));
    row += cell(MeasurePanel::tr("%1 (%2)").arg(formatBytes(probe->measuredPeak), apart(*probe)));
    row += cell(
        probe->plannedSeconds ? MeasurePanel::tr("%1 s").arg(formatSpeed(probe->plannedSeconds)) : unknownText());
    row += cell(
        MeasurePanel::tr("%1 s (spread %2)").arg(formatSpeed(probe->measuredSeconds), formatShare(probe->spread)));
    row += cell(MeasurePanel::tr("%1 tokens/s").arg(formatSpeed(probe->tokensPerSecond)));
    return row + QStringLiteral("</tr>");
}

} // namespace

MeasurePanel::MeasurePanel(ProbeSource probe, QWidget* parent)
    : QWidget(parent)
    , m_probe(std::move(probe))
    , m_beside(new QComboBox(this))
    , m_button(new QPushButton(this))
    , m_hint(new QLabel(this))
    , m_result(new QLabel(this))
    , m_task(this, [this](const Result<Probe>& result) { take(result); })
{
    m_beside->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_beside->setMinimumContentsLength(24);
    m_hint->setWordWrap(true);
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* label = new QLabel(tr("Try thi&s run, and beside it"), this);
    label->setBuddy(m_beside);
    auto* line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_beside);
    line->addWidget(m_button);
    line->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addLayout(line);
    layout->addWidget(m_hint);
    layout->addWidget(m_result);
    connect(m_button, &QPushButton::clicked, this, &MeasurePanel::startOrStop);
    setChanges({});
    clearPlans();
}

void MeasurePanel::setPlan(const ConfigChoice& choice, const MemoryPlan& plan)
{
    const bool isAnother = !m_choice || choice.values != m_choice->values;
    m_choice = choice;
    m_secondsPerStep = plan.secondsPerStep;
    if (isAnother) {
        forgetResult();
    }
    showButton();
}

void MeasurePanel::setChanges(const std::vector<NamedChoice>& changes)
{
    const QString before = m_beside->currentText();
    m_changes = changes;
    m_beside->clear();
    m_beside->addItem(tr("nothing else"));
    for (const NamedChoice& change : changes) {
        m_beside->addItem(change.text);
    }
    m_beside->setCurrentIndex(std::max(0, m_beside->findText(before)));
}

void MeasurePanel::clearPlans()
{
    m_choice.reset();
    m_secondsPerStep.reset();
    forgetResult();
    showButton();
}

void MeasurePanel::forgetResult()
{
    if (!isMeasuring()) {
        m_measured.clear();
        showResult();
    }
}

void MeasurePanel::setTraining(bool isTraining)
{
    m_isTraining = isTraining;
    showButton();
}

QString MeasurePanel::text() const
{
    return m_result->text();
}

void MeasurePanel::startOrStop()
{
    if (isMeasuring()) {
        m_toMeasure.resize(1); // what is going on answers when it has stopped
        m_task.requestStop();
        m_button->setEnabled(false);
        return;
    }
    m_measured.clear();
    m_toMeasure = { { tr("this run"), *m_choice } };
    if (m_beside->currentIndex() > 0) {
        m_toMeasure.push_back(m_changes.at(static_cast<size_t>(m_beside->currentIndex() - 1)));
    }
    emit measuringChanged();
    measureNext();
}

void MeasurePanel::measureNext()
{
    showButton();
    showResult();
    m_task.request([probe = m_probe, choice = m_toMeasure.front().choice](
                       const std::stop_token& stop) { return probe(choice, stop); });
}

void MeasurePanel::take(const Result<Probe>& probe)
{
    m_measured.push_back({ m_toMeasure.front(), probe });
    m_toMeasure.erase(m_toMeasure.begin());
    if (!m_toMeasure.empty()) {
        measureNext();
        return;
    }
    showButton();
    showResult();
    emit measuringChanged();
    emit measured();
}

void MeasurePanel::showButton()
{
    m_button->setText(isMeasuring() ? tr("Stop &measuring") : tr("&Measure"));
    m_button->setEnabled(isMeasuring() || (m_probe != nullptr && m_choice && !m_isTraining));
    m_beside->setEnabled(!isMeasuring());
    constexpr int64_t steps = probeWarmUpSteps + probeTimedSteps;
    if (isMeasuring()) {
        m_hint->setText(tr("Trying %1\u2026").arg(m_toMeasure.front().text));
    } else if (m_isTraining) {
        m_hint->setText(tr("Once the run that is going has ended."));
    } else if (m_secondsPerStep) {
        m_hint->setText(tr("%1 steps, about %2 each way; nothing is kept.")
                            .arg(formatCount(steps), formatDuration(*m_secondsPerStep * static_cast<double>(steps))));
    } else {
        m_hint->setText(tr("%1 steps; nothing is kept.").arg(formatCount(steps)));
    }
}

void MeasurePanel::showResult()
{
    m_result->setVisible(!m_measured.empty());
    if (m_measured.empty()) {
        m_result->clear();
        return;
    }
    QString html = QStringLiteral("<table>") + header();
    for (const Measured& one : m_measured) {
        html += tableRow(one.choice.text, one.probe);
    }
    html += QStringLiteral("</table>");
    if (m_measured.size() == 2 && m_measured.front().probe && m_measured.back().probe) {
        const Measured& first = m_measured.front();
        const Measured& second = m_measured.back();
        html += QString::fromStdString(probeSentence(second.choice.text.toStdString(), *second.probe,
                                           first.choice.text.toStdString(), *first.probe))
                    .toHtmlEscaped();
    }
    m_result->setText(html);
}

} // namespace tunebench
