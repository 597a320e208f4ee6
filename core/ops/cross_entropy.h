#pragma once

#include "core/ops/parameter.h"

namespace tunebench {

/// The cross entropy of each row between softmax(hidden W^T) and its target: [rows], fp32. hidden [rows, hidden size];
/// head W [vocabulary, hidden size], cast to hidden's type; targets [rows], int64. Logits exist for a chunk of rows at
/// a time (as Liger's fused linear cross entropy does it), in fp32. With a `softcap` above 0 a logit z becomes softcap
/// * tanh(z / softcap).
at::Tensor linearCrossEntropy(
    const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets, double softcap = 0);

/// The same, and the gradient of the sum of weights x losses: returned for hidden in `hiddenGradient` (hidden's shape
/// and type), added to head's gradient when head is trained. weights [rows], fp32. It is made on the way, so nothing is
/// kept for a backward pass.
at::Tensor linearCrossEntropyWithGradient(const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets,
    const at::Tensor& weights, at::Tensor& hiddenGradient, double softcap = 0);

/// hidden W^T of the head, capped where there is a softcap, fp32: [rows, vocabulary].
at::Tensor linearLogits(const at::Tensor& hidden, const Parameter& head, double softcap);

} // namespace tunebench
