#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

/// Cosines and sines of the rotation angles, one row a token: [tokens, 1, rotated size / 2], in the type of what is
/// rotated.
struct RopeAngles {
    at::Tensor cosine;
    at::Tensor sine;
};

/// Rotates x [tokens, heads, head size] in place; the first half of each head pairs with the second, as transformers
/// has it (rotate_half). Where fewer numbers than a head has are rotated, they are its first ones.
void rotate(const at::Tensor& x, const RopeAngles& angles);

/// The inverse rotation, in place: the gradient of rotate().
void rotateBack(const at::Tensor& gradient, const RopeAngles& angles);

} // namespace tunebench
