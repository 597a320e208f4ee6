#pragma once

#include "ui/plots/overlay_plot.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace tunebench {

/// The curves of the ticked runs over one another, with the choice of what is drawn over what.
class OverlayView : public QWidget {
    Q_OBJECT
public:
    explicit OverlayView(QWidget* parent = nullptr);

    void showRuns(std::vector<OverlaidRun> runs);
    OverlayPlot* plot() const { return m_plot; }

private:
    void refresh();

    std::vector<OverlaidRun> m_runs;
    QComboBox *m_value, *m_key;
    QLabel* m_hint;
    OverlayPlot* m_plot;
};

} // namespace tunebench
