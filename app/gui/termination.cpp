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
    std::signal(number, SIG_DFL);
}

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
    std::signal(SIGINT, noteSignal);
    std::signal(SIGTERM, noteSignal);
}

Termination::~Termination()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

} // namespace tunebench
