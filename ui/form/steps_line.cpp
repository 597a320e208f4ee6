#include "ui/form/steps_line.h"

#include "core/data/micro_batches.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QEvent>

namespace tunebench {

StepsLine::StepsLine(RowCounter& counter, QWidget* parent)
    : QLabel(parent)
    , m_counter(counter)
{
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    connect(&m_counter, &RowCounter::changed, this, &StepsLine::refresh);
}

void StepsLine::setConfig(const RunConfig& config)
{
    m_config = config;
    m_counter.setConfig(config);
    refresh();
}

void StepsLine::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

void StepsLine::refresh()
{
    const auto& count = m_counter.count();
    const QString batch = (m_config.packing ? tr("%1 \u00d7 %2 = <b>%3 packed sequences a step</b>")
                                            : tr("%1 \u00d7 %2 = <b>%3 rows a step</b>"))
                              .arg(formatCount(m_config.batchSize), formatCount(m_config.accumulationSteps),
                                  formatCount(countSteps(0, m_config).effectiveBatch));
    QString steps;
    QString rows;
    QColor colour = mutedColour(palette());
    if (!count) {
        rows = tr("counting rows\u2026");
    } else if (!*count) {
        rows = QString::fromStdString(count->error().message).toHtmlEscaped();
        colour = errorColour(palette());
    } else {
        // How many rows a sequence takes shows only once they are tokens.
        const StepCounts counts = countSteps((*count)->training, m_config);
        steps = (m_config.packing ? tr(", <b>at most %1 steps</b>") : tr(", <b>%1 steps</b>"))
                    .arg(formatCount(counts.totalSteps));
        rows = tr("%1 rows to train on, %2 held out")
                   .arg(formatCount((*count)->training), formatCount((*count)->heldOut));
        if ((*count)->refused > 0) {
            rows += tr(", %1 refused").arg(formatCount((*count)->refused));
            colour = warningColour(palette());
        }
        if (const std::string few = fewUpdatesText(counts); !few.empty()) {
            rows += QStringLiteral("<br>") + QString::fromStdString(few);
        }
    }
    setText(QStringLiteral("%1%2<br><span style='color:%3'>%4</span>").arg(batch, steps, colour.name(), rows));
}

} // namespace tunebench
