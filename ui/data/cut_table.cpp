#include "ui/data/cut_table.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>

namespace tunebench {

namespace {

QString kindName(Truncation kind)
{
    const auto name = choiceName(kind);
    return QString::fromUtf8(name.data(), static_cast<int>(name.size()));
}

/// "12 (1.3 %)"; from a million on "2.50 M (12.0 %)".
QString countAndShare(int64_t count, int64_t all)
{
    constexpr double million = 1e6;
    const auto number = static_cast<double>(count);
    const QString text
        = number < million ? formatCount(count) : QStringLiteral("%1\u00a0M").arg(number / million, 0, 'f', 2);
    return count == 0 ? text : QStringLiteral("%1 (%2)").arg(text, formatShare(number / static_cast<double>(all)));
}

} // namespace

CutTable::CutTable(QWidget* parent)
    : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins({});
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->addWidget(new QLabel(tr("Truncation"), this), 0, 0);
    for (size_t kind = 0; kind < kinds; ++kind) {
        m_heads.at(kind) = new QLabel(this);
        grid->addWidget(m_heads.at(kind), 0, static_cast<int>(kind) + 1, Qt::AlignRight);
    }
    const std::array<QString, effects> names { tr("Rows cut"), tr("Tokens cut"), tr("Answers cut"),
        tr("Rows left out") };
    const std::array<QString, effects> tips { tr("Rows longer than max_length that lose tokens."),
        tr("Of all tokens of the dataset."), tr("Rows that lose tokens which the model should learn."),
        tr("Rows with nothing left to learn, and with drop all rows longer than max_length.") };
    for (size_t effect = 0; effect < effects; ++effect) {
        const int row = static_cast<int>(effect) + 1;
        auto* name = new QLabel(names.at(effect), this);
        name->setToolTip(tips.at(effect));
        grid->addWidget(name, row, 0);
        for (size_t kind = 0; kind < kinds; ++kind) {
            auto* cell = new QLabel(this);
            cell->setToolTip(tips.at(effect));
            m_cells.at(effect).at(kind) = cell;
            grid->addWidget(cell, row, static_cast<int>(kind) + 1, Qt::AlignRight);
        }
    }
    grid->setColumnStretch(0, 1);
    restyle();
}

void CutTable::showCuts(const CutPreview& cuts, int64_t rows, int64_t tokens)
{
    const auto fill = [&](Truncation kind, const CutCounts& counts) {
        const auto column = static_cast<size_t>(kind);
        m_cells[0].at(column)->setText(countAndShare(counts.rows, rows));
        m_cells[1].at(column)->setText(countAndShare(counts.tokens, tokens));
        m_cells[2].at(column)->setText(countAndShare(counts.answers, rows));
        m_cells[3].at(column)->setText(countAndShare(counts.nothingLeft, rows));
    };
    fill(Truncation::right, cuts.right);
    fill(Truncation::left, cuts.left);
    fill(Truncation::drop, CutCounts { .nothingLeft = cuts.right.rows });
    restyle();
}

void CutTable::setChosen(Truncation chosen)
{
    m_chosen = chosen;
    restyle();
}

QString CutTable::text(size_t effect, Truncation kind) const
{
    return m_cells.at(effect).at(static_cast<size_t>(kind))->text();
}

void CutTable::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_heads.back() != nullptr) {
        restyle();
    }
}

void CutTable::restyle()
{
    QPalette muted;
    muted.setColor(QPalette::WindowText, mutedColour(palette()));
    QFont bold = font();
    bold.setBold(true);
    for (size_t kind = 0; kind < kinds; ++kind) {
        const bool chosen = kind == static_cast<size_t>(m_chosen);
        const QString name = kindName(static_cast<Truncation>(kind));
        m_heads.at(kind)->setText(chosen ? tr("%1 (yours)").arg(name) : name);
        m_heads.at(kind)->setFont(chosen ? bold : font());
        m_heads.at(kind)->setPalette(chosen ? QPalette() : muted);
        for (const auto& row : m_cells) {
            row.at(kind)->setFont(chosen ? bold : font());
            row.at(kind)->setPalette(chosen ? QPalette() : muted);
        }
    }
}

} // namespace tunebench
