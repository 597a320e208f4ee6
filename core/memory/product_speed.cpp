#include "core/memory/product_speed.h"

#include "core/memory/device.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <algorithm>
#include <chrono>
#include <cmath>

namespace tunebench {
namespace {

using Clock = std::chrono::steady_clock;

/// Tokens of a micro-batch, and the sides of an MLP projection.
constexpr int64_t rows = 512, inner = 1024, columns = 3072;

void synchronize(at::Device device)
{
    if (device.is_cuda())
        at::accelerator::synchronizeDevice(device.index());
}

double secondsOfProduct(const at::Tensor& left, const at::Tensor& right)
{
    synchronize(left.device());
    const auto start = Clock::now();
    at::mm(left, right.t());
    synchronize(left.device());
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The largest relative error that rounding the operands and the result explains, with room for the order of summation.
double allowedError(NumberType type)
{
    switch (type) {
    case NumberType::fp16:
        return 2e-3;
    case NumberType::bf16:
        return 1e-2;
    case NumberType::fp32:
    case NumberType::automatic:
        return 1e-5;
    }
    return 0;
}

} // namespace

TypeMeasurement measureProducts(NumberType type, at::Device device)
{
    TypeMeasurement measured { .type = type };
    const auto host = at::TensorOptions().dtype(at::kDouble);
    const auto exactLeft = at::randn({ rows, inner }, host);
    const auto exactRight = at::randn({ columns, inner }, host);
    const auto left = exactLeft.to(device, scalarType(type));
    const auto right = exactRight.to(device, scalarType(type));

    const auto exact = at::mm(exactLeft, exactRight.t());
    const auto difference = at::mm(left, right.t()).to(at::kCPU, at::kDouble).sub_(exact);
    const double error
        = at::linalg_vector_norm(difference).item<double>() / at::linalg_vector_norm(exact).item<double>();
    measured.worstRelativeError = error;
    measured.passesSelfTest = std::isfinite(error) && error < allowedError(type);

    double best = secondsOfProduct(left, right);
    const auto end = Clock::now() + std::chrono::milliseconds(150);
    while (Clock::now() < end)
        best = std::min(best, secondsOfProduct(left, right));
    measured.gflops = 2.0 * rows * inner * columns / best / 1e9;
    return measured;
}

} // namespace tunebench
