#pragma once

#include "ui/base/latest_task.h"
#include "ui/base/run_planner.h"
#include "ui/plan/variation.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace tunebench {

/// Measures what is planned: the first steps of the form's run, and of the same with one change, are trained and thrown
/// away; what was predicted stands beside what was measured, with whether the change is worth it here.
class MeasurePanel : public QWidget {
    Q_OBJECT
public:
    MeasurePanel(ProbeSource probe, QWidget* parent);

    /// The form's run. What was measured of other options goes away.
    void setPlan(const ConfigChoice& choice, const MemoryPlan& plan);
    void setChanges(const std::vector<NamedChoice>& changes);
    void clearPlans();

    /// While a run is going the device is not free to be measured.
    void setTraining(bool isTraining);
    bool isMeasuring() const { return !m_toMeasure.empty(); }
    /// Whether the form's run has a planned time.
    bool knowsTime() const { return m_secondsPerStep.has_value(); }

    QString text() const;

signals:
    void measuringChanged();
    void measured();

private:
    struct Measured {
        NamedChoice choice;
        Result<Probe> probe;
    };
    void startOrStop();
    void measureNext();
    void take(const Result<Probe>& probe);
    void showButton();
    void showResult();
    void forgetResult(); ///< unless more of it is on its way

    ProbeSource m_probe;
    std::optional<ConfigChoice> m_choice; ///< the form's, where it can be planned
    std::optional<double> m_secondsPerStep; ///< planned
    bool m_isTraining = false;
    std::vector<NamedChoice> m_changes;
    std::vector<NamedChoice> m_toMeasure; ///< the first of them is being measured
    std::vector<Measured> m_measured;
    QComboBox* m_beside;
    QPushButton* m_button;
    QLabel *m_hint, *m_result;
    LatestTask<Result<Probe>> m_task;
};

} // namespace tunebench
