#pragma once

#include "core/base/result.h"
#include "core/model/decoder.h"
#include "core/model/weight_source.h"

namespace tunebench {

/// Fills the decoder's base tensors from a model on disk, a slice at a time, so that no second copy of the model
/// exists; what is held in 4 bits is packed on the way. Does nothing on the meta device.
Result<void> loadWeights(Decoder& decoder, const WeightSource& source);

} // namespace tunebench
