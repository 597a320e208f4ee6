#include "ui/runs/overlay_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

#include <utility>

namespace tunebench {

OverlayView::OverlayView(QWidget* parent)
    : QWidget(parent)
    , m_value(new QComboBox(this))
    , m_key(new QComboBox(this))
    , m_hint(new QLabel(tr("Tick runs in the list to lay their curves over one another."), this))
    , m_plot(new OverlayPlot(this))
{
    for (const auto value : { OverlayValue::loss, OverlayValue::evalLoss, OverlayValue::learningRate,
             OverlayValue::gradNorm, OverlayValue::speed, OverlayValue::peakMemory }) {
        m_value->addItem(overlayValueName(value), static_cast<int>(value));
    }
    for (const auto key : { OverlayKey::step, OverlayKey::tokens, OverlayKey::seconds, OverlayKey::epoch }) {
        m_key->addItem(overlayKeyName(key), static_cast<int>(key));
    }
    auto* choice = new QHBoxLayout;
    auto* valueLabel = new QLabel(tr("Sho&w"), this);
    auto* keyLabel = new QLabel(tr("over"), this);
    valueLabel->setBuddy(m_value);
    keyLabel->setBuddy(m_key);
    choice->addWidget(valueLabel);
    choice->addWidget(m_value);
    choice->addWidget(keyLabel);
    choice->addWidget(m_key);
    choice->addSpacing(12);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    choice->addWidget(m_hint);
    choice->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addLayout(choice);
    layout->addWidget(m_plot, 1);
    connect(m_value, &QComboBox::currentIndexChanged, this, &OverlayView::refresh);
    connect(m_key, &QComboBox::currentIndexChanged, this, &OverlayView::refresh);
}

void OverlayView::showRuns(std::vector<OverlaidRun> runs)
{
    m_runs = std::move(runs);
    refresh();
}

void OverlayView::refresh()
{
    m_hint->setVisible(m_runs.empty());
    m_plot->showRuns(m_runs, static_cast<OverlayValue>(m_value->currentData().toInt()),
        static_cast<OverlayKey>(m_key->currentData().toInt()));
}

} // namespace tunebench
