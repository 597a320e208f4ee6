#pragma once

#include <string>

namespace tunebench {

/// What an errno of a file operation means, in words that fit after "Cannot write FILE: "; with what to do where that
/// is known.
std::string systemReason(int error);

} // namespace tunebench
