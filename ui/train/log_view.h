#pragma once

#include "core/runs/metrics.h"
#include "core/train/trainer.h"

#include <QPlainTextEdit>

namespace tunebench {

/// What the run says, with the time of day.
class LogView : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    void add(const LogLine& line);
    void add(const EvalMetrics& evaluation);
    void add(const AnswerMetrics& answer);
};

} // namespace tunebench
