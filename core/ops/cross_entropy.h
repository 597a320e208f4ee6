#pragma once

#include "core/ops/parameter.h"

namespace tunebench {

/// Sum over rows of the cross entropy between softmax(hidden W^T) and the targets: a scalar, fp64. hidden [rows, hidden
/// size]; head W [vocabulary, hidden size], cast to hidden's type; targets [rows], int64. Logits exist for a chunk of
/// rows at a time (as Liger's fused linear cross entropy does it), in fp32.
at::Tensor linearCrossEntropy(const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets);

/// The same, and its gradient times `gradientScale`: returned for hidden in `hiddenGradient` (hidden's shape and type),
/// added to head's gradient when head is trained. It is made on the way, so nothing is kept for a backward pass.
at::Tensor linearCrossEntropyWithGradient(const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets,
    double gradientScale, at::Tensor& hiddenGradient);

} // namespace tunebench
