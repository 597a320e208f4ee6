#pragma once

#include "ui/base/run_planner.h"
#include "ui/data/data_analysis.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;

namespace tunebench {

class ConfigModel;
class CutPanel;
class DataHeadline;
class LengthPlot;
class PreviewTable;
class RefusalTree;
class RowPanel;
class WasteTable;

/// What the dataset of the form is: its format, its lengths and what max_length, batch size and order do to them, what
/// was refused and why, and single rows.
class DataPage : public QWidget {
    Q_OBJECT
public:
    DataPage(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent);

    /// Shows the first row that loses a part of its answer.
    void showCutAnswers();

    LengthPlot* plot() const { return m_plot; }

    QByteArray layoutState() const;
    void restoreLayout(const QByteArray& state);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeNumbers(RunPlanner planner);
    void refresh(); ///< when it can be seen
    void showPreview();
    void showData();
    void showChoice();
    void choose(qint64 maxLength);

    ConfigModel& m_model;
    DataAnalysis& m_analysis;
    DataHeadline* m_headline;
    LengthPlot* m_plot;
    CutPanel* m_cuts = nullptr;
    WasteTable* m_waste = nullptr;
    RefusalTree* m_refusals = nullptr;
    RowPanel* m_rows;
    QSplitter *m_left, *m_body;
    PreviewTable* m_preview; ///< in the place of the body until the rows are counted
    QStackedWidget* m_stack;
    SharedPreview m_shownPreview;
    SharedData m_shownData;
    RunConfig m_shownConfig;
    bool m_cutAnswersWanted = false;
};

} // namespace tunebench
