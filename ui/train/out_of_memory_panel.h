#pragma once

#include "core/runs/out_of_memory.h"

#include <QFrame>

class QGridLayout;

namespace tunebench {

class ConfigModel;

/// How a run came to the end of its memory, and what would help: each remedy with a button that puts it into the form.
/// Hidden where there is nothing to tell.
class OutOfMemoryPanel : public QFrame {
    Q_OBJECT
public:
    OutOfMemoryPanel(ConfigModel& model, QWidget* parent);

    void show(const OutOfMemoryReport& report);
    void clear();

private:
    void addFact(const QString& name, const QString& text);
    void addRemedy(const Remedy& remedy);

    ConfigModel& m_model;
    QWidget* m_content = nullptr; ///< made anew for each report
    QGridLayout* m_grid = nullptr; ///< of the content
};

} // namespace tunebench
