#include "ui/plots/run_plots.h"

#include "ui/base/device_memory.h"
#include "ui/plots/loss_plot.h"
#include "ui/plots/memory_plot.h"
#include "ui/plots/step_plots.h"

#include <QGridLayout>

namespace tunebench {

RunPlots::RunPlots(QWidget* parent)
    : QWidget(parent)
    , m_loss(new LossPlot(this))
    , m_rate(new RatePlot(this))
    , m_memory(new MemoryPlot(this))
    , m_speed(new SpeedPlot(this))
{
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_loss, 0, 0);
    layout->addWidget(m_memory, 0, 1);
    layout->addWidget(m_rate, 1, 0);
    layout->addWidget(m_speed, 1, 1);
    layout->setRowStretch(0, 3);
    layout->setRowStretch(1, 2);
    layout->setColumnStretch(0, 1);
    layout->setColumnStretch(1, 1);
}

void RunPlots::clear()
{
    m_loss->clear();
    m_rate->clear();
    m_memory->clear();
    m_speed->clear();
}

void RunPlots::add(std::span<const StepMetrics> steps)
{
    m_loss->add(steps);
    m_rate->add(steps);
    m_memory->add(steps);
    m_speed->add(steps);
}

void RunPlots::add(const EvalMetrics& evaluation)
{
    m_loss->add(evaluation);
}

void RunPlots::setCurves(const RunCurves& curves)
{
    clear();
    for (const EvalMetrics& evaluation : curves.evaluations) {
        add(evaluation);
    }
    add(curves.steps);
}

void RunPlots::setMemoryLimit(const RunConfig& config)
{
    const MemoryLimit limit = memoryLimitOf(config);
    m_memory->setLimit(limit.bytes, limit.name);
}

} // namespace tunebench
