#pragma once

#include "core/data/micro_batches.h"
#include "core/model/decoder.h"

namespace tunebench {

/// The tokens whose prediction counts, and what they shall predict.
struct Supervision {
    at::Tensor slots; ///< [supervised]
    at::Tensor targets; ///< [supervised]

    Supervision(const MicroBatch& batch, at::Device device);
};

/// The token losses [supervised], fp32, of the layers' output x [tokens, hidden].
at::Tensor headLosses(const Decoder& decoder, const at::Tensor& x, const Supervision& supervision);

/// The same, and the gradient of the sum of weights x losses: added to what is trained in head and final norm, and in
/// `gradient` that of x. weights [supervised], fp32.
at::Tensor headLossesWithGradient(const Decoder& decoder, const at::Tensor& x, const Supervision& supervision,
    const at::Tensor& weights, at::Tensor& gradient);

/// The logits of the token after each of x [tokens, hidden], fp32: [tokens, vocabulary].
at::Tensor nextTokenLogits(const Decoder& decoder, const at::Tensor& x);

} // namespace tunebench
