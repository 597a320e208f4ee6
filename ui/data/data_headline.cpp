#include "ui/data/data_headline.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace tunebench {

namespace {

QString namesOf(const std::vector<std::string>& files)
{
    QStringList names;
    for (const std::string& file : files) {
        names.push_back(QFileInfo(QString::fromStdString(file)).fileName());
    }
    return names.join(QStringLiteral(", "));
}

QString escaped(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

} // namespace

DataHeadline::DataHeadline(DataAnalysis& analysis, QWidget* parent)
    : QWidget(parent)
    , m_analysis(analysis)
    , m_summary(new QLabel(this))
    , m_details(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_button(new QPushButton(this))
    , m_counting(this, [this](int64_t count) {
        m_leftOut = count;
        refresh();
    })
{
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 1.15);
    m_summary->setFont(large);
    for (QLabel* label : { m_summary, m_details }) {
        label->setTextFormat(Qt::RichText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_progress->setAccessibleName(tr("Rows read"));
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins({});
    layout->setVerticalSpacing(2);
    layout->addWidget(m_summary, 0, 0);
    layout->addWidget(m_progress, 0, 1);
    layout->addWidget(m_button, 0, 2);
    layout->addWidget(m_details, 1, 0, 1, 3);
    layout->setColumnStretch(0, 3);
    layout->setColumnStretch(1, 1);
    connect(&m_analysis, &DataAnalysis::changed, this, &DataHeadline::refresh);
    connect(&m_analysis, &DataAnalysis::progressed, this, &DataHeadline::showProgress);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_analysis.state() == DataAnalysis::State::running) {
            m_analysis.stop();
        } else {
            m_analysis.again();
        }
    });
    refresh();
}

void DataHeadline::setConfig(const RunConfig& config)
{
    m_config = config;
    m_leftOut = 0;
    if (const SharedData& data = m_analysis.data()) {
        m_counting.request([data, config](const std::stop_token&) -> int64_t {
            return std::ranges::count_if(data->inspection.extents,
                [&config](const RowExtent& row) { return !truncatedExtent(row, config.maxLength, config.truncation); });
        });
    }
}

QString DataHeadline::text() const
{
    return m_summary->text() + m_details->text();
}

void DataHeadline::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

void DataHeadline::refresh()
{
    const DataAnalysis::State state = m_analysis.state();
    const bool running = state == DataAnalysis::State::running;
    const bool stopped = state == DataAnalysis::State::stopped || state == DataAnalysis::State::failed;
    m_button->setVisible(stopped);
    m_button->setText(tr("Read &again"));
    m_progress->setVisible(false);
    m_progress->setRange(0, 0);
    const SharedPreview& preview = m_analysis.preview();
    m_details->setVisible(m_analysis.data() != nullptr || (running && preview != nullptr));
    if (preview != nullptr && m_analysis.data() == nullptr) {
        m_details->setText(about(preview->why, preview->columns, preview->notices));
    }
    if (const SharedData& data = m_analysis.data()) {
        m_summary->setText(summary());
        m_details->setText(details());
        m_summary->setToolTip(escaped(data->inspection.why));
    } else if (running) {
        m_summary->setText(tr("Reading the dataset\u2026"));
    } else if (stopped) {
        m_summary->setText(m_analysis.problem().isEmpty()
                ? tr("Reading the dataset was stopped.")
                : QStringLiteral("<span style='color:%1'>%2</span>")
                      .arg(errorColour(palette()).name(), m_analysis.problem().toHtmlEscaped()));
    }
}

void DataHeadline::showProgress(qint64 done, qint64 all)
{
    m_progress->setVisible(true);
    m_button->setVisible(true);
    m_button->setText(tr("Cance&l"));
    if (all > 0) {
        // Whole thousandths: a range of 32 bits holds the rows of any dataset so.
        constexpr int steps = 1000;
        m_progress->setRange(0, steps);
        m_progress->setValue(static_cast<int>(done * steps / all));
        m_summary->setText(tr("Reading the dataset: %1 of %2 rows").arg(formatCount(done), formatCount(all)));
    }
}

QString DataHeadline::summary() const
{
    const DatasetInspection& inspection = m_analysis.data()->inspection;
    const auto coloured = [](const QString& text, const QColor& colour) {
        return QStringLiteral("<span style='color:%1'>%2</span>").arg(colour.name(), text);
    };
    const std::string_view format = choiceName(inspection.format);
    QStringList parts { QStringLiteral("<b>%1</b>").arg(namesOf(m_analysis.data()->config.dataset).toHtmlEscaped()),
        QStringLiteral("<b>%1</b>").arg(QString::fromUtf8(format.data(), static_cast<int>(format.size()))),
        tr("<b>%1</b> usable rows").arg(formatCount(inspection.rows - m_leftOut)) };
    const auto refused = static_cast<int64_t>(inspection.refused.size());
    parts.push_back(refused == 0
            ? tr("none refused")
            : coloured(tr("<b>%1</b> refused").arg(formatCount(refused)), warningColour(palette())));
    if (m_leftOut > 0) {
        parts.push_back(
            coloured(tr("<b>%1</b> left out by max_length").arg(formatCount(m_leftOut)), warningColour(palette())));
    }
    parts.push_back(inspection.duplicates == 0 ? tr("no duplicates")
                                               : (inspection.duplicates == 1 ? tr("%1 duplicate") : tr("%1 duplicates"))
                                                     .arg(formatCount(inspection.duplicates)));
    return parts.join(QStringLiteral(" &nbsp;\u00b7&nbsp; "));
}

QString DataHeadline::about(
    const std::string& why, const std::vector<std::string>& columns, const std::vector<std::string>& notices) const
{
    QStringList lines {
        tr("%1. Columns: %2.").arg(escaped(why), toQStrings(columns).join(QStringLiteral(", ")).toHtmlEscaped())
    };
    for (const std::string& notice : notices) {
        lines.push_back(escaped(notice));
    }
    return QStringLiteral("<span style='color:%1'>%2</span>")
        .arg(mutedColour(palette()).name(), lines.join(QStringLiteral("<br>")));
}

QString DataHeadline::details() const
{
    const AnalysedData& data = *m_analysis.data();
    QString text = about(data.inspection.why, data.inspection.columns, data.inspection.notices);
    if (!data.noTokens.isEmpty()) {
        text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(warningColour(palette()).name(),
                        tr("Without the model's tokenizer the rows are counted, but not their tokens. %1")
                            .arg(data.noTokens.toHtmlEscaped()));
    }
    return text;
}

} // namespace tunebench
