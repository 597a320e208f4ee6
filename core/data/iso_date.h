#pragma once

#include <string>

namespace tunebench {

/// The local date as chat templates see it, "2026-11-29": without the time of day, so that rows encoded on one day are
/// equal.
std::string isoToday();

} // namespace tunebench
