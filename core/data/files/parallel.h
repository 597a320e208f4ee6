#pragma once

#include <cstddef>
#include <functional>

namespace tunebench {

/// Calls body(0) .. body(count - 1), each once, from `threads` threads (0: as many as the machine has cores). Returns
/// when all are done; the first exception of a body is thrown again here.
void parallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body);

} // namespace tunebench
