#include "app/cli/interrupt.h"

#include <csignal>
#include <unistd.h>

namespace tunebench {

namespace {

// The only state that a signal handler can reach.
volatile std::sig_atomic_t noted = 0;

extern "C" void noteSignal(int number)
{
    // The end of a session sends several of the others, and what was learnt is to be saved meanwhile.
    if (noted != 0 && number == SIGINT) {
        ::_exit(128 + number);
    }
    if (noted == 0) {
        noted = number;
    }
}

void handle(void (*handler)(int))
{
    struct sigaction action { };
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (const int number : { SIGINT, SIGTERM, SIGHUP }) {
        struct sigaction before { };
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) { // as nohup wants it
            ::sigaction(number, &action, nullptr);
        }
    }
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
