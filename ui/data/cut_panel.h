#pragma once

#include "ui/base/device_memory.h"
#include "ui/base/run_planner.h"
#include "ui/data/cut_table.h"
#include "ui/data/data_analysis.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace tunebench {

/// What the max_length under the plot's line means for the rows and for memory, and the suggestion.
class CutPanel : public QWidget {
    Q_OBJECT
public:
    CutPanel(RunPlanner planner, QWidget* parent);

    void setData(const SharedData& data);
    void setChoice(const ConfigChoice& choice);

    /// Shows the effects of a line on its way, which the options do not have yet.
    void preview(int64_t maxLength);

    const CutTable* table() const { return m_table; }
    QString peakText() const;

signals:
    void maxLengthWanted(qint64 tokens);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Peak {
        Result<int64_t> bytes;
        MemoryLimit limit;
    };
    using SharedPeak = std::shared_ptr<const Peak>;
    void count();
    void plan();
    void showPeak();

    RunPlanner m_planner;
    SharedData m_data;
    ConfigChoice m_choice;
    QLabel* m_title;
    CutTable* m_table;
    QLabel* m_peakText;
    QProgressBar* m_peakBar;
    QPushButton* m_suggestion;
    QLabel* m_hint;
    SharedPeak m_peak;
    LatestTask<CutPreview> m_counting;
    LatestTask<SharedPeak> m_planning;
};

} // namespace tunebench
