#pragma once

#include "core/data/length_statistics.h"
#include "ui/data/length_marks.h"
#include "ui/plots/plot.h"

namespace tunebench {

/// How many rows have how many tokens, and a line at max_length that the mouse and the keyboard move in steps of 8.
class LengthPlot : public Plot {
    Q_OBJECT
public:
    explicit LengthPlot(QWidget* parent);

    void setLengths(const LengthSummary& lengths, const LengthHistogram& histogram);
    void clear();

    /// The line's place, tokens, and how far it may go to the right.
    void setMaxLength(int64_t tokens);
    void setMost(int64_t tokens) { m_most = tokens; }
    int64_t maxLength() const { return m_maxLength; }

    QSize minimumSizeHint() const override { return { 320, 200 }; }

signals:
    void maxLengthMoved(qint64 tokens); ///< while the line is on its way
    void maxLengthChosen(qint64 tokens); ///< where it was let go

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void restyle() override;
    void fit() override;

private:
    bool isAtLine(const QPointF& position) const;
    void move(int64_t tokens);
    void letGo();
    void placeLine();
    void describe();

    QCPBars* m_bars;
    LengthMarks m_marks;
    QCPItemRect* m_beyond; ///< what lies beyond the line
    QCPItemStraightLine* m_line;
    QCPItemText* m_name; ///< of the line; it can be dragged too
    LengthSummary m_lengths;
    int64_t m_maxLength = 0, m_most = 0;
    bool m_moving = false; ///< by the mouse
    bool m_moved = false; ///< since it was taken up
};

} // namespace tunebench
