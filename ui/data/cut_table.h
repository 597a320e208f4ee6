#pragma once

#include "core/data/length_statistics.h"

#include <QWidget>

#include <array>

class QLabel;

namespace tunebench {

/// What one max_length does to the rows.
struct CutPreview {
    int64_t maxLength = 0;
    CutCounts right, left; ///< by the side that is cut off; the rows of either are those that `drop` leaves out
};

/// The effects of a max_length for each kind of truncation side by side, the chosen one marked.
class CutTable : public QWidget {
    Q_OBJECT
public:
    explicit CutTable(QWidget* parent);

    /// `rows` and `tokens` are those of the whole dataset before truncation.
    void showCuts(const CutPreview& cuts, int64_t rows, int64_t tokens);
    void setChosen(Truncation chosen);

    /// The text of a cell, for tests: effects from 0, kinds of truncation in the order of the enumeration.
    QString text(size_t effect, Truncation kind) const;

protected:
    void changeEvent(QEvent* event) override;

private:
    static constexpr size_t effects = 4, kinds = 3;
    void restyle();

    std::array<QLabel*, kinds> m_heads {};
    std::array<std::array<QLabel*, kinds>, effects> m_cells {};
    Truncation m_chosen = Truncation::right;
};

} // namespace tunebench
