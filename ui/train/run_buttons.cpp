#include "ui/train/run_buttons.h"

#include "ui/base/theme.h"

#include <QAction>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

namespace tunebench {

RunActions::RunActions(TrainingBridge& bridge, QObject* parent)
    : QObject(parent)
    , m_bridge(bridge)
    , m_start(new QAction(tr("&Start"), this))
    , m_pause(new QAction(tr("&Pause"), this))
    , m_stop(new QAction(tr("S&top"), this))
{
    m_start->setShortcut(QKeySequence(Qt::Key_F5));
    m_pause->setShortcut(QKeySequence(Qt::Key_F6));
    m_stop->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F5));
    connect(m_start, &QAction::triggered, this, &RunActions::startRequested);
    connect(m_pause, &QAction::triggered, this, [this] {
        if (m_bridge.phase() == RunPhase::paused || m_bridge.phase() == RunPhase::pausing) {
            m_bridge.resume();
        } else {
            m_bridge.pause();
        }
    });
    connect(m_stop, &QAction::triggered, &m_bridge, &TrainingBridge::stop);
    connect(&m_bridge, &TrainingBridge::phaseChanged, this, &RunActions::refresh);
    refresh();
}

void RunActions::setBlocker(const QString& reason)
{
    m_blocker = reason;
    refresh();
}

void RunActions::setMeasuring(bool isMeasuring)
{
    m_isMeasuring = isMeasuring;
    refresh();
}

void RunActions::refresh()
{
    const QString blocker = m_isMeasuring ? measuringText() : m_blocker;
    const RunPhase phase = m_bridge.phase();
    const bool paused = phase == RunPhase::paused || phase == RunPhase::pausing;
    m_start->setEnabled(phase == RunPhase::idle && blocker.isEmpty());
    m_start->setToolTip(blocker.isEmpty() ? tr("Train with these options (F5)") : blocker);
    m_pause->setEnabled(paused || phase == RunPhase::running || phase == RunPhase::starting);
    m_pause->setText(paused ? tr("Resu&me") : tr("&Pause"));
    m_pause->setToolTip(paused ? tr("Go on training (F6)") : tr("Pause after this micro-batch (F6)"));
    m_stop->setEnabled(m_bridge.active() && phase != RunPhase::stopping);
    m_stop->setToolTip(tr("Stop after this micro-batch and keep what was learnt (Shift+F5)"));
}

RunButtons::RunButtons(RunActions& actions, QWidget* parent)
    : QWidget(parent)
    , m_name(new QLineEdit(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    m_name->setPlaceholderText(tr("Run name (from date and model)"));
    m_name->setAccessibleName(tr("Run name"));
    m_name->setObjectName(QStringLiteral("run_name"));
    layout->addWidget(m_name, 1);
    connect(m_name, &QLineEdit::textChanged, this, [this] {
        markName();
        emit nameChanged();
    });
    for (QAction* action : { actions.start(), actions.pause(), actions.stop() }) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setMinimumSize(fontMetrics().averageCharWidth() * 10, fontMetrics().height() + 12);
        layout->addWidget(button);
        if (action == actions.start()) {
            QFont bold = button->font();
            bold.setBold(true);
            button->setFont(bold);
        }
    }
}

std::string RunButtons::runName() const
{
    return m_name->text().trimmed().toStdString();
}

void RunButtons::clearRunName()
{
    m_name->clear();
}

QString RunButtons::nameProblem() const
{
    return QString::fromStdString(runNameProblem(runName()).value_or(std::string()));
}

void RunButtons::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        markName();
    }
}

void RunButtons::markName()
{
    const QString problem = nameProblem();
    QPalette colours;
    if (!problem.isEmpty()) {
        colours.setColor(QPalette::Text, errorColour(palette()));
    }
    m_name->setPalette(colours);
    m_name->setToolTip(problem);
}

QString phaseText(RunPhase phase)
{
    const auto text = [](const char* source) { return QCoreApplication::translate("RunPhase", source); };
    switch (phase) {
    case RunPhase::starting:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Starting"));
    case RunPhase::running:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Training"));
    case RunPhase::pausing:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Pausing"));
    case RunPhase::paused:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Paused"));
    case RunPhase::resuming:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Resuming"));
    case RunPhase::stopping:
        return text(QT_TRANSLATE_NOOP("RunPhase", "Stopping"));
    case RunPhase::idle:
        break;
    }
    return text(QT_TRANSLATE_NOOP("RunPhase", "Ready"));
}

QString measuringText()
{
    return RunActions::tr("Steps are being measured (page Plan); wait for it, or stop it there.");
}

} // namespace tunebench
