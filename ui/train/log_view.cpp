#include "ui/train/log_view.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QTime>

namespace tunebench {

LogView::LogView(QWidget* parent)
    : QPlainTextEdit(parent)
{
    constexpr int lines = 5000;
    setReadOnly(true);
    setMaximumBlockCount(lines);
    setAccessibleName(tr("Log"));
    setPlaceholderText(tr("What the run says appears here."));
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
}

void LogView::add(const LogLine& line)
{
    QString text = QString::fromStdString(line.text).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    if (line.warning) {
        text = QStringLiteral("<span style='color:%1'>%2</span>").arg(warningColour(palette()).name(), text);
    }
    appendHtml(
        QStringLiteral("<span style='color:%1'>%2</span>&nbsp; %3")
            .arg(mutedColour(palette()).name(), QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), text));
}

void LogView::add(const EvalMetrics& evaluation)
{
    add(LogLine { tr("Evaluation at step %1: loss %2 over %3 tokens.")
                      .arg(formatCount(evaluation.step), formatLoss(evaluation.loss), formatCount(evaluation.tokens))
                      .toStdString() });
}

void LogView::add(const AnswerMetrics& answer)
{
    add(LogLine { tr("Answer at step %1 to \u201c%2\u201d:\n%3")
                      .arg(formatCount(answer.step), toQString(answer.prompt), toQString(answer.text))
                      .toStdString() });
}

} // namespace tunebench
