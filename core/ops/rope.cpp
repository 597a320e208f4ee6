#include "core/ops/rope.h"

#include "core/ops/views.h"

namespace tunebench {
namespace {

/// (a, b) becomes (a cos - sign b sin, b cos + sign a sin).
void rotateBy(const at::Tensor& x, const RopeAngles& angles, double sign)
{
    const int64_t half = angles.cosine.size(-1);
    const auto first = narrowed(x, -1, 0, half);
    const auto second = narrowed(x, -1, half, half);
    const auto before = first.clone();
    first.mul_(angles.cosine).addcmul_(second, angles.sine, -sign);
    second.mul_(angles.cosine).addcmul_(before, angles.sine, sign);
}

} // namespace

void rotate(const at::Tensor& x, const RopeAngles& angles)
{
    rotateBy(x, angles, 1);
}

void rotateBack(const at::Tensor& gradient, const RopeAngles& angles)
{
    rotateBy(gradient, angles, -1);
}

} // namespace tunebench
