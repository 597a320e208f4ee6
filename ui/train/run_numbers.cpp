#include "ui/train/run_numbers.h"

#include "ui/base/device_memory.h"
#include "ui/base/format.h"
#include "ui/train/number_tile.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QProgressBar>

#include <algorithm>

namespace tunebench {

RunNumbers::RunNumbers(QWidget* parent)
    : QWidget(parent)
    , m_stepTile(new NumberTile(tr("Step"), this))
    , m_timeTile(new NumberTile(tr("Time left"), this))
    , m_speedTile(new NumberTile(tr("Tokens/s"), this))
    , m_lossTile(new NumberTile(tr("Loss"), this))
    , m_evalTile(new NumberTile(tr("Evaluation loss"), this))
    , m_memoryTile(new NumberTile(tr("Peak memory"), this))
    , m_bar(new QProgressBar(this))
{
    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(6);
    for (NumberTile* tile : { m_stepTile, m_timeTile, m_speedTile, m_lossTile, m_evalTile, m_memoryTile }) {
        tiles->addWidget(tile, 1);
    }
    constexpr int barHeight = 6;
    m_bar->setFixedHeight(barHeight);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the run"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    layout->addLayout(tiles);
    layout->addWidget(m_bar);
    clear();
}

void RunNumbers::clear()
{
    for (NumberTile* tile : { m_stepTile, m_timeTile, m_speedTile, m_lossTile, m_evalTile, m_memoryTile }) {
        tile->setValue(unknownText());
    }
    m_step = 0;
    m_totalSteps = 0;
    m_peak = 0;
    m_limit = 0;
    m_secondsPerStep = 0;
    m_bar->setRange(0, 1);
    m_bar->setValue(0);
}

void RunNumbers::setSummary(const RunSummary& summary)
{
    m_totalSteps = summary.totalSteps;
    m_step = std::max(m_step, summary.step);
    m_peak = std::max(m_peak, summary.peakAllocated);
    showProgress();
    showMemory();
}

void RunNumbers::add(std::span<const StepMetrics> steps)
{
    if (steps.empty()) {
        return;
    }
    for (const StepMetrics& step : steps) {
        // The first steps are slower than the rest; they fade out of the mean.
        constexpr double share = 0.2;
        m_secondsPerStep += (m_secondsPerStep > 0 ? share : 1) * (step.seconds - m_secondsPerStep);
        m_peak = std::max(m_peak, step.peakAllocated);
    }
    const StepMetrics& last = steps.back();
    m_step = last.step;
    m_speedTile->setValue(formatSpeed(last.tokensPerSecond), tr("%1 s a step").arg(formatSpeed(last.seconds)));
    m_lossTile->setValue(formatLoss(last.loss), last.loss ? QString() : QString::fromStdString(last.note));
    showProgress();
    showMemory();
}

void RunNumbers::add(const EvalMetrics& evaluation)
{
    m_evalTile->setValue(formatLoss(evaluation.loss),
        evaluation.step == 0 ? tr("before training") : tr("after step %1").arg(formatCount(evaluation.step)));
}

void RunNumbers::setMemoryLimit(const RunConfig& config)
{
    m_limit = memoryLimitOf(config).bytes;
    showMemory();
}

void RunNumbers::end()
{
    m_timeTile->setValue(unknownText());
}

void RunNumbers::showProgress()
{
    m_stepTile->setValue(
        formatCount(m_step), m_totalSteps > 0 ? tr("of %1").arg(formatCount(m_totalSteps)) : QString());
    constexpr int parts = 1000;
    m_bar->setRange(0, parts);
    m_bar->setValue(m_totalSteps > 0 ? static_cast<int>(parts * m_step / m_totalSteps) : 0);
    if (m_secondsPerStep > 0 && m_totalSteps > 0) {
        m_timeTile->setValue(formatDuration(m_secondsPerStep * static_cast<double>(m_totalSteps - m_step)));
    }
}

void RunNumbers::showMemory()
{
    if (m_peak > 0) {
        m_memoryTile->setValue(formatBytes(m_peak), m_limit > 0 ? tr("of %1").arg(formatBytes(m_limit)) : QString());
    }
}

} // namespace tunebench
