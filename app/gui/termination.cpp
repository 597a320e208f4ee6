#include "app/gui/termination.h"

#include <array>
#include <csignal>
#include <unistd.h>

namespace tunebench {

namespace {

// A handler may only write; the event loop reads.
std::array<int, 2> ends { -1, -1 };

void noteSignal(int number)
{
    const char byte = 0;
    (void)!::write(ends[1], &byte, 1);
    if (number == SIGINT) {
        std::signal(number, SIG_DFL);
    }
}

constexpr std::array watched { SIGINT, SIGTERM, SIGHUP };

} // namespace

Termination::Termination()
{
    if (::pipe(ends.data()) != 0) {
        return;
    }
    m_notifier = std::make_unique<QSocketNotifier>(ends[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        m_notifier->setEnabled(false);
        emit requested();
    });
    for (const int number : watched) {
        if (std::signal(number, noteSignal) == SIG_IGN) { // as nohup wants it
            std::signal(number, SIG_IGN);
        }
    }
}

Termination::~Termination()
{
    for (const int number : watched) {
        std::signal(number, SIG_DFL);
    }
}

} // namespace tunebench
