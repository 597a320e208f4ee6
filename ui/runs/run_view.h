#pragma once

#include "core/runs/run_library.h"

#include <QWidget>

#include <memory>
#include <span>

class QLabel;
class QPushButton;
class QTabWidget;

namespace tunebench {

class AnswersView;
class OptionsTable;
class OverlayView;
class RunPlots;

/// The opened run: what it came to, its plots and options; beside them the overlay of the ticked runs.
class RunView : public QWidget {
    Q_OBJECT
public:
    explicit RunView(QWidget* parent = nullptr);

    /// nullptr: no run is open.
    void setRun(const RunRecord* run);
    void setCurves(const RunCurves& curves);

    OverlayView* overlay() const { return m_overlay; }
    void showOverlay();

signals:
    void useOptions(const tunebench::RunConfig& config);
    void goOnRequested();
    void deleteRequested();

private:
    void showFacts(const RunRecord& run);
    void showOptions(const RunRecord& run);
    void showAnswers(std::span<const AnswerMetrics> answers);

    std::filesystem::path m_path;
    std::optional<RunConfig> m_config;
    QLabel *m_title, *m_facts;
    QPushButton *m_goOn, *m_use, *m_folder, *m_delete;
    QTabWidget* m_tabs;
    RunPlots* m_plots;
    OptionsTable* m_options;
    AnswersView* m_answers;
    OverlayView* m_overlay;
};

} // namespace tunebench
