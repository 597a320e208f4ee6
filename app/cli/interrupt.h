#pragma once

#include <optional>

namespace tunebench {

/// While it lives, the first Ctrl-C (or a termination signal) is only noted, and a second one ends the program at once
/// with the status 128 + signal.
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
