#include "ui/data/cut_warning.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QEvent>

namespace tunebench {

CutWarning::CutWarning(DataAnalysis& analysis, QWidget* parent)
    : QLabel(parent)
    , m_analysis(analysis)
    , m_task(this, [this](const Loss& loss) {
        m_loss = loss;
        refresh();
    })
{
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setFocusPolicy(Qt::StrongFocus);
    hide();
    connect(&m_analysis, &DataAnalysis::changed, this, &CutWarning::count);
    connect(this, &QLabel::linkActivated, this, [this] { emit rowsWanted(); });
}

void CutWarning::setConfig(const RunConfig& config)
{
    m_config = config;
    count();
}

void CutWarning::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

void CutWarning::count()
{
    m_task.cancel();
    const SharedData& data = m_analysis.data();
    // Rows that are dropped whole lose no end.
    if (data == nullptr || m_config.truncation == Truncation::drop) {
        m_loss = {};
        refresh();
        return;
    }
    m_task.request([data, maxLength = m_config.maxLength, side = m_config.truncation](const std::stop_token&) {
        const auto& rows = data->inspection.extents;
        return Loss { maxLength, countCuts(rows, maxLength, side).answers, static_cast<int64_t>(rows.size()) };
    });
}

void CutWarning::refresh()
{
    constexpr int64_t oneIn = 100;
    setVisible(m_loss.answers * oneIn > m_loss.rows);
    const double share = m_loss.rows > 0 ? static_cast<double>(m_loss.answers) / static_cast<double>(m_loss.rows) : 0;
    const QString text
        = (m_config.truncation == Truncation::left ? tr("%1 of %2 answers (%3) lose a part at max_length %4.")
                                                   : tr("%1 of %2 answers (%3) lose their end at max_length %4."))
              .arg(formatCount(m_loss.answers), formatCount(m_loss.rows), formatShare(share),
                  formatCount(m_loss.maxLength));
    setText(
        QStringLiteral("<span style='color:%1'>%2</span> <a href='rows' style='color:%3'>%4</a>")
            .arg(warningColour(palette()).name(), text, palette().color(QPalette::Link).name(), tr("Show these rows")));
}

} // namespace tunebench
