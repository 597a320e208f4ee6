#pragma once

#include <qcustomplot.h>

#include <optional>

namespace tunebench {

/// A plot with a title and a legend in its head, coloured as the palette is. The wheel and the mouse zoom and move; a
/// double click fits the curves again.
class Plot : public QCustomPlot {
    Q_OBJECT
public:
    Plot(const QString& title, const QString& xLabel, const QString& yLabel, QWidget* parent);

    QSize minimumSizeHint() const override { return { 240, 150 }; }
    QSize sizeHint() const override { return { 420, 220 }; }

    void setTitle(const QString& title);
    void setXLabel(const QString& label);

    /// Draws soon, fitted to the curves unless the user looks at a part.
    void refresh();

    /// Shows all curves again.
    void followAll();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

    /// Gives the curves their colours.
    virtual void restyle() = 0;

    /// Ticks at whole keys only.
    void useWholeKeys(bool whole);

    /// Sets the axes' ranges to the curves; called while the user has not chosen a part.
    virtual void fit();

    /// Applies the palette to everything; derived classes call it at the end of their constructors.
    void applyPalette();

    QCPGraph* addCurve(const QString& name, QCPAxis* valueAxis = nullptr);

    /// Shows a curve in the legend or not.
    void setListed(QCPAbstractPlottable* curve, bool listed);

private:
    void styleAxis(QCPAxis* axis);
    void markSinglePoints();
    void draw();

    QCPTextElement* m_title;
    bool m_following = true;
};

/// A pen that QCustomPlot draws fast at any width when the plot has the fast-polylines hint.
QPen curvePen(const QColor& colour, double width = 1);

/// The range with a little air; a flat range becomes a small one around its value.
QCPRange padded(const QCPRange& range);

/// The range of the values of all visible curves on an axis, if they have any.
std::optional<QCPRange> valueRange(const QCPAxis* axis);
std::optional<QCPRange> keyRange(const QCPAxis* axis);

} // namespace tunebench
