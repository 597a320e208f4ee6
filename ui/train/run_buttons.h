#pragma once

#include "ui/train/training_bridge.h"

#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;

namespace tunebench {

/// The actions of a run, for buttons and menu alike; which are enabled follows the bridge's phase.
class RunActions : public QObject {
    Q_OBJECT
public:
    RunActions(TrainingBridge& bridge, QObject* parent);

    QAction* start() const { return m_start; }
    QAction* pause() const { return m_pause; } ///< pauses, or resumes a paused run
    QAction* stop() const { return m_stop; }

    /// Why a start is not possible, or nothing.
    void setBlocker(const QString& reason);
    /// While the device is being measured nothing can start.
    void setMeasuring(bool isMeasuring);

signals:
    void startRequested();

private:
    void refresh();

    TrainingBridge& m_bridge;
    QAction *m_start, *m_pause, *m_stop;
    QString m_blocker;
    bool m_isMeasuring = false;
};

/// The buttons of a run and the name of the next one.
class RunButtons : public QWidget {
    Q_OBJECT
public:
    RunButtons(RunActions& actions, QWidget* parent);

    std::string runName() const;
    void clearRunName();

    /// Why a run cannot have this name, or nothing.
    QString nameProblem() const;

signals:
    void nameChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    void markName();

    QLineEdit* m_name;
};

QString phaseText(RunPhase phase);

/// Why nothing can start while steps are being measured.
QString measuringText();

} // namespace tunebench
