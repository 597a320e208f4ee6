#include "ui/plan/fits_panel.h"

#include "core/config/cards.h"
#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/title.h"
#include "ui/plan/best_panel.h"
#include "ui/plan/fit_table.h"
#include "ui/plan/longest_table.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tunebench {

namespace {

/// What accumulation is for.
QString accumulationLesson(const RunConfig& config)
{
    const QString rows = formatCount(config.rowsPerStep());
    const QString what = config.lossNormalization == LossNormalization::tokens
        ? FitsPanel::tr("what is learnt stays the same to rounding, and memory and time alone differ")
        : FitsPanel::tr("but what is learnt differs, as loss_normalization %1 weighs rows by their micro-batch")
              .arg(toQString(choiceName(config.lossNormalization)));
    return FitsPanel::tr("Down a column an update stays %1 rows, up to batch %1, since accumulation_steps follows: %2.")
        .arg(rows, what);
}

/// Where a run that names a card is planned to be.
QString deviceText(const ConfigChoice& choice)
{
    if (!choice.values.card) {
        return {};
    }
    const Card* card = namedCard(asOnItsCard(choice).values);
    return card != nullptr ? FitsPanel::tr(", as on the %1").arg(QString::fromStdString(card->name))
                           : FitsPanel::tr(" on this machine");
}

} // namespace

FitsPanel::FitsPanel(PlanQueue& queue, QWidget* parent)
    : QScrollArea(parent)
    , m_headline(new QLabel(this))
    , m_lesson(new QLabel(this))
    , m_fits(new FitTable(queue, this))
    , m_best(new BestPanel(queue, this))
    , m_longest(new LongestTable(queue, this))
{
    auto* panel = makePanel();
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidget(panel);
    for (QWidget* ground : { panel, viewport() }) {
        ground->setAutoFillBackground(false); // the tab's shows
    }
    connect(m_fits, &FitTable::problemChanged, this, &FitsPanel::showHeadline);
    connect(m_fits, &FitTable::taken, this, &FitsPanel::taken);
    connect(m_best, &BestPanel::taken, this, &FitsPanel::taken);
    connect(m_longest, &LongestTable::taken, this, &FitsPanel::taken);
    clearPlans({});
}

QWidget* FitsPanel::makePanel()
{
    auto* panel = new QWidget(this);
    m_headline->setWordWrap(true);
    m_headline->setTextFormat(Qt::PlainText);
    m_lesson->setWordWrap(true);
    m_lesson->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    layout->addWidget(makeTitle(tr("What fits"), panel));
    layout->addWidget(m_headline);
    layout->addWidget(m_fits);
    layout->addWidget(m_lesson);
    layout->addSpacing(12);
    layout->addWidget(makeTitle(tr("Best that fits"), panel));
    layout->addWidget(m_best);
    layout->addSpacing(12);
    layout->addWidget(makeTitle(tr("Longest max_length that fits"), panel));
    layout->addWidget(m_longest);
    layout->addStretch(1);
    return panel;
}

void FitsPanel::plan(const PlanBasis& basis, const Variation& shown)
{
    m_basis = basis;
    m_fits->plan(basis, shown);
    m_best->plan(basis, shown.numbers);
    m_longest->plan(basis, shown.numbers);
    m_lesson->setText(accumulationLesson(basis.choice.values));
    m_lesson->show();
    showHeadline();
}

void FitsPanel::clearPlans(const QString& why)
{
    m_basis = {};
    m_fits->clearPlans();
    m_best->clearPlans();
    m_longest->clearPlans();
    m_lesson->hide();
    m_headline->setText(why.isEmpty() ? tr("All of this is planned once the rows are counted.")
                                      : tr("Nothing can be planned. %1").arg(why));
}

void FitsPanel::showHeadline()
{
    if (m_basis.data == nullptr) {
        return;
    }
    if (!m_fits->problem().isEmpty()) {
        m_headline->setText(tr("Not everything can be planned. %1").arg(m_fits->problem()));
        return;
    }
    const QString signs
        = tr("%1 fits, %2 tight (less than 5\u00a0% to spare), %3 too big")
              .arg(QString(fitSign(Fit::fits)), QString(fitSign(Fit::tight)), QString(fitSign(Fit::tooBig)));
    m_headline->setText(m_basis.limit.bytes > 0
            ? tr("Peak memory, and time for %1 rows%2, against %3 (%4): %5. A click takes a cell.")
                  .arg(formatCount(m_basis.choice.values.rowsPerStep()), deviceText(m_basis.choice),
                      formatBytes(m_basis.limit.bytes), m_basis.limit.name, signs)
            : tr("Peak memory, and time of a step; what the device has is not known, so choose a card. A click takes "
                 "a cell."));
}

} // namespace tunebench
