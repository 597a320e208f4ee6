#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace tunebench {

/// Turns Ctrl-C, a termination signal and the closing of the terminal into a Qt signal, once; a second Ctrl-C ends the
/// program at once.
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
