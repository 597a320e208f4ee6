#include "ui/data/row_panel.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/data/row_search.h"
#include "ui/data/row_text.h"

#include <QCheckBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTextCharFormat>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace tunebench {

/// The rows of one configuration; opened and used by the task alone, one piece of work after another.
struct RowPanel::OpenRows {
    SharedData data;
    RunConfig config;
    std::optional<Result<RowViewer>> viewer;

    const Result<RowViewer>& open()
    {
        if (!viewer) {
            viewer = RowViewer::open(config.dataset, config, encodingSetup(*data));
        }
        return *viewer;
    }
};

RowPanel::RowPanel(QWidget* parent)
    : QWidget(parent)
    , m_number(new QSpinBox(this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_count(new QLabel(this))
    , m_nextLosing(new QPushButton(tr("Next &cut answer"), this))
    , m_nextRefused(new QPushButton(tr("Next refuse&d row"), this))
    , m_boundaries(new QCheckBox(tr("To&ken boundaries"), this))
    , m_facts(new QLabel(this))
    , m_text(new RowText(this))
    , m_task(this, [this](const SharedShown& shown) { show(shown); })
{
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(makeButtons());
    layout->addWidget(m_facts);
    layout->addWidget(m_text, 1);
    layout->addWidget(makeLegend());
    connect(m_number, &QSpinBox::valueChanged, this, [this](int number) { showRow(static_cast<size_t>(number) - 1); });
    connect(m_previous, &QToolButton::clicked, m_number, &QSpinBox::stepDown);
    connect(m_next, &QToolButton::clicked, m_number, &QSpinBox::stepUp);
    connect(m_nextLosing, &QPushButton::clicked, this, &RowPanel::showNextLosing);
    connect(m_nextRefused, &QPushButton::clicked, this, &RowPanel::showNextRefused);
    connect(m_boundaries, &QCheckBox::toggled, m_text, &RowText::setBoundaries);
}

QWidget* RowPanel::makeButtons()
{
    auto* bar = new QWidget(this);
    auto* label = new QLabel(tr("Ro&w"), bar);
    label->setBuddy(m_number);
    m_number->setAccessibleName(tr("Number of the row"));
    m_number->setKeyboardTracking(false);
    m_number->setGroupSeparatorShown(true);
    m_previous->setArrowType(Qt::LeftArrow);
    m_previous->setToolTip(tr("Previous row"));
    m_next->setArrowType(Qt::RightArrow);
    m_next->setToolTip(tr("Next row"));
    for (QToolButton* button : { m_previous, m_next }) {
        button->setAccessibleName(button->toolTip());
        button->setAutoRepeat(true);
        button->setFocusPolicy(Qt::StrongFocus);
    }
    m_nextLosing->setToolTip(tr("Go to the next row of whose answer max_length cuts a part"));
    m_nextRefused->setToolTip(tr("Go to the next row that is left out"));
    m_boundaries->setToolTip(tr("Shade every other token; point at one to see its number"));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins({});
    layout->addWidget(label);
    layout->addWidget(m_number);
    layout->addWidget(m_count);
    layout->addWidget(m_previous);
    layout->addWidget(m_next);
    layout->addSpacing(8);
    layout->addWidget(m_nextLosing);
    layout->addWidget(m_nextRefused);
    layout->addStretch(1);
    layout->addWidget(m_boundaries);
    return bar;
}

QWidget* RowPanel::makeLegend()
{
    auto* legend = new QWidget(this);
    auto* layout = new QHBoxLayout(legend);
    layout->setContentsMargins({});
    layout->setSpacing(12);
    for (const QString& text : { tr("context (not learned)"), tr("learned"), tr("cut by max_length") }) {
        m_legend.push_back(new QLabel(text, legend));
        m_legend.back()->setAutoFillBackground(true);
        m_legend.back()->setContentsMargins(6, 2, 6, 2);
        layout->addWidget(m_legend.back());
    }
    layout->addWidget(new QLabel(tr("\u21b5 line end   \u21e5 tab   \u00b7 space"), legend));
    layout->addStretch(1);
    restyleLegend();
    return legend;
}

void RowPanel::setData(const SharedData& data)
{
    m_data = data;
    m_shown.reset();
    const auto& inspection = data->inspection;
    const size_t tokenRows = std::max(inspection.extents.size(), static_cast<size_t>(inspection.rows));
    const size_t rows = tokenRows + inspection.refused.size();
    const QSignalBlocker blocker(m_number);
    m_number->setRange(1, static_cast<int>(std::max<size_t>(rows, 1)));
    m_number->setValue(1);
    m_count->setText(tr("of %1").arg(formatCount(static_cast<int64_t>(rows))));
}

void RowPanel::setConfig(const RunConfig& config)
{
    m_config = config;
    // The files are those that were analysed, whatever stands in the form by now.
    m_config.model = m_data->config.model;
    m_config.dataset = m_data->config.dataset;
    m_rows = std::make_shared<OpenRows>(OpenRows { m_data, m_config, {} });
    m_nextLosing->setEnabled(!m_data->inspection.extents.empty() && config.truncation != Truncation::drop);
    showRow(static_cast<size_t>(m_number->value()) - 1);
}

void RowPanel::showRow(size_t row)
{
    look([row](const AnalysedData&, const RunConfig&) { return std::optional(row); });
}

void RowPanel::showFirstLosing()
{
    showLosing(SIZE_MAX); // behind the last row the search goes on at the first
}

void RowPanel::showNextLosing()
{
    showLosing(static_cast<size_t>(m_number->value()) - 1);
}

void RowPanel::showLosing(size_t after)
{
    look([after](const AnalysedData& data, const RunConfig& config) { return nextLosingRow(data, config, after); });
}

void RowPanel::showNextRefused()
{
    look([after = static_cast<size_t>(m_number->value()) - 1](
             const AnalysedData& data, const RunConfig& config) { return nextRefusedRow(data, config, after); });
}

void RowPanel::look(Choose choose)
{
    m_task.request([rows = m_rows, choose = std::move(choose)](const std::stop_token&) -> SharedShown {
        auto shown = std::make_shared<Shown>();
        const auto& viewer = rows->open();
        if (!viewer) {
            shown->problem = QString::fromStdString(viewer.error().message);
            return shown;
        }
        const auto wanted = choose(*rows->data, rows->config);
        if (wanted && *wanted < viewer->count()) {
            shown->row = wanted;
            shown->view = viewer->row(*wanted);
        }
        return shown;
    });
}

void RowPanel::show(const SharedShown& shown)
{
    if (!shown->row && shown->problem.isEmpty()) {
        m_facts->setText(tr("There is no such row."));
        return;
    }
    m_shown = shown;
    if (shown->row) {
        const QSignalBlocker blocker(m_number);
        m_number->setValue(static_cast<int>(*shown->row) + 1);
    }
    m_text->showRow(shown->view);
    describe();
}

void RowPanel::describe()
{
    if (!m_shown->problem.isEmpty()) {
        m_facts->setText(m_shown->problem);
        return;
    }
    const RowView& view = m_shown->view;
    QStringList facts { tr("%1, line %2")
                            .arg(QFileInfo(QString::fromStdString(view.file)).fileName(),
                                formatCount(static_cast<int64_t>(view.line))) };
    const auto count = [&view](bool TokenView::*mark) {
        return formatCount(std::count_if(
            view.tokens.begin(), view.tokens.end(), [mark](const TokenView& token) { return token.*mark; }));
    };
    if (!view.tokens.empty()) {
        facts.push_back(tr("%1 tokens").arg(formatCount(static_cast<int64_t>(view.tokens.size()))));
        facts.push_back(tr("%1 learned")
                            .arg(formatCount(std::count_if(view.tokens.begin(), view.tokens.end(),
                                [](const TokenView& token) { return token.supervised && !token.cut; }))));
        facts.push_back(tr("%1 cut").arg(count(&TokenView::cut)));
    }
    m_facts->setText(facts.join(QStringLiteral("  \u00b7  ")));
}

void RowPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyleLegend();
    }
}

void RowPanel::restyleLegend()
{
    for (size_t look = 0; look < m_legend.size(); ++look) {
        const QTextCharFormat format = RowText::formatOf(palette(), static_cast<TokenLook>(look));
        QPalette own;
        own.setColor(QPalette::WindowText, format.foreground().color());
        own.setColor(QPalette::Window,
            format.background().style() == Qt::NoBrush ? palette().color(QPalette::Base) : format.background().color());
        m_legend[look]->setPalette(own);
        QFont font = this->font();
        font.setStrikeOut(format.fontStrikeOut());
        m_legend[look]->setFont(font);
    }
}

} // namespace tunebench
