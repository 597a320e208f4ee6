#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tunebench {

/// Whose fault a failure is; the command line turns it into its exit status.
enum class Fault {
    input, ///< what the user gave is wrong or missing (exit status 2)
    work, ///< the input was fine, the work failed: no memory, no space, ... (exit status 1)
};

/// A failure as one sentence for the user: what is wrong, where, and what to do about it.
struct Error {
    std::string message;
    Fault fault = Fault::input;
};

/// A value, or the sentence that says why there is none.
template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message, Fault fault = Fault::input)
{
    return tl::unexpected<Error>(Error { std::move(message), fault });
}

} // namespace tunebench
