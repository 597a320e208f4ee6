#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace tunebench {

/// Turns Ctrl-C and a termination signal into a Qt signal, once; a second one ends the program at once.
class Termination : public QObject {
    Q_OBJECT
public:
    Termination();
    ~Termination() override;

signals:
    void requested();

private:
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace tunebench
