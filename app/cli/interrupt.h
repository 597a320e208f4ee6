#pragma once

#include <optional>

namespace tunebench {

/// While it lives, Ctrl-C, a termination signal and the closing of the terminal are only noted; a Ctrl-C after that
/// ends the program at once with the status 128 + signal. Signals that the program was started to ignore (nohup) stay
/// so.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// The signal that came, if one did.
    static std::optional<int> signal();
};

} // namespace tunebench
