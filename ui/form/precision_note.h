#pragma once

#include "ui/base/latest_task.h"
#include "ui/base/run_planner.h"

#include <QString>

namespace tunebench {

class ConfigForm;
class ConfigModel;

/// What is to be said of the types of a run before it starts: what it is held in and multiplied in, how fast the types
/// were measured on its device, whether fp16 is faster there, as is usually said, and what speaks against the choice.
QString precisionText(const KnownTypes& known);

/// Keeps that text beside the option `compute` as the form changes. Belongs to the form.
class PrecisionNote : public QObject {
    Q_OBJECT
public:
    PrecisionNote(ConfigModel& model, ConfigForm& form, RunPlanner planner);

    const QString& text() const { return m_text; }

signals:
    void changed();

private:
    using SharedTypes = std::shared_ptr<const Result<KnownTypes>>;
    void look();
    void show(const SharedTypes& known);

    ConfigModel& m_model;
    ConfigForm& m_form;
    RunPlanner m_planner;
    QString m_text;
    LatestTask<SharedTypes> m_task;
};

} // namespace tunebench
