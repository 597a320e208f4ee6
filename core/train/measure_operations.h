#pragma once

#include "core/config/run_config.h"
#include "core/memory/operation_price.h"

#include <c10/core/Device.h>
#include <stop_token>
#include <vector>

namespace tunebench {

/// What the operations of a training step cost on `device` when products are in `type`: steps of small decoders, made
/// up, each operation timed. Takes some seconds; when `stop` is requested it ends within one, with what it has. Throws
/// what LibTorch throws where the device cannot do it.
std::vector<TimedOperation> measureOperations(NumberType type, at::Device device, const std::stop_token& stop);

} // namespace tunebench
