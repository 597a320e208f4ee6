#pragma once

#include "core/runs/metrics.h"

#include <QWidget>

#include <span>
#include <vector>

class QComboBox;
class QTextBrowser;

namespace tunebench {

/// What a run's model said to each prompt at two evaluations, side by side: at first the first and the newest.
class AnswersView : public QWidget {
    Q_OBJECT
public:
    explicit AnswersView(QWidget* parent = nullptr);

    /// In step order, those of a step in the order of the prompts. The chosen steps stay, and who looks at the newest
    /// goes on looking at the newest.
    void setAnswers(std::span<const AnswerMetrics> answers);
    bool isEmpty() const { return m_answers.empty(); }

private:
    void refresh();

    std::vector<AnswerMetrics> m_answers;
    QComboBox *m_left, *m_right; ///< steps
    QTextBrowser* m_text;
};

} // namespace tunebench
