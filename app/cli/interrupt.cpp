#include "app/cli/interrupt.h"

#include <csignal>
#include <unistd.h>

namespace tunebench {

namespace {

// The only state that a signal handler can reach.
volatile std::sig_atomic_t noted = 0;

extern "C" void noteSignal(int number)
{
    if (noted != 0) {
        ::_exit(128 + number);
    }
    noted = number;
}

void handle(void (*handler)(int))
{
    struct sigaction action { };
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

} // namespace

Interrupt::Interrupt()
{
    noted = 0;
    handle(noteSignal);
}

Interrupt::~Interrupt()
{
    handle(SIG_DFL);
}

std::optional<int> Interrupt::signal()
{
    const int number = noted;
    return number == 0 ? std::nullopt : std::optional(number);
}

} // namespace tunebench
