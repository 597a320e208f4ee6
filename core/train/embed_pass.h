#pragma once

#include "core/model/decoder.h"
#include "core/ops/rope.h"

namespace tunebench {

/// The rotation angles of tokens at these positions of their rows, for each of the decoder's ropes.
std::vector<RopeAngles> anglesOf(const Decoder& decoder, const std::vector<int64_t>& positions);

/// What the first layer takes: the tokens' embeddings, [tokens, hidden], in the compute type.
at::Tensor embed(const Decoder& decoder, const at::Tensor& ids);

/// Adds to the embedding's gradient, where it is trained, what follows from that of embed(). Changes `gradient`.
void embedBackward(const Decoder& decoder, const at::Tensor& ids, const at::Tensor& gradient);

} // namespace tunebench
