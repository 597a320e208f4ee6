#include "core/memory/product_speed.h"

#include "core/config/choices.h"
#include "core/config/number_text.h"
#include "core/memory/device.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <algorithm>
#include <c10/util/Exception.h>
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

/// left right^T, made as training makes it.
at::Tensor productOf(const at::Tensor& left, const at::Tensor& right)
{
    const auto type = left.is_cpu() ? cpuProductType(left.scalar_type()) : left.scalar_type();
    return at::mm(left.to(type), right.to(type).t()).to(left.scalar_type());
}

double secondsOfProduct(const at::Tensor& left, const at::Tensor& right)
{
    synchronize(left.device());
    const auto start = Clock::now();
    productOf(left, right);
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
    case NumberType::nf4: // nothing is multiplied in it
        return 1e-5;
    }
    return 0;
}

/// The operands of a product, exact and as the device has them.
struct Operands {
    at::Tensor exactLeft, exactRight, left, right;

    Operands(int64_t rowCount, int64_t columnCount, NumberType type, at::Device device)
        : exactLeft(at::randn({ rowCount, inner }, at::TensorOptions().dtype(at::kDouble)))
        , exactRight(at::randn({ columnCount, inner }, at::TensorOptions().dtype(at::kDouble)))
        , left(exactLeft.to(device, scalarType(type)))
        , right(exactRight.to(device, scalarType(type)))
    {
    }

    double relativeError() const
    {
        const auto exact = at::mm(exactLeft, exactRight.t());
        const auto difference = productOf(left, right).to(at::kCPU, at::kDouble).sub_(exact);
        return at::linalg_vector_norm(difference).item<double>() / at::linalg_vector_norm(exact).item<double>();
    }
};

bool isRight(double error, NumberType type)
{
    return std::isfinite(error) && error < allowedError(type);
}

} // namespace

TypeMeasurement measureProducts(NumberType type, at::Device device)
{
    TypeMeasurement measured { .type = type };
    const Operands operands(rows, columns, type, device);
    const double error = operands.relativeError();
    measured.worstRelativeError = error;
    measured.passesSelfTest = isRight(error, type);

    double best = secondsOfProduct(operands.left, operands.right);
    const auto end = Clock::now() + std::chrono::milliseconds(150);
    while (Clock::now() < end)
        best = std::min(best, secondsOfProduct(operands.left, operands.right));
    measured.gflops = 2.0 * rows * inner * columns / best / 1e9;
    return measured;
}

Result<void> selfTestProducts(NumberType type, at::Device device)
{
    constexpr int64_t side = 64;
    const std::string what = "Products in " + std::string(choiceName(type)) + " on " + device.str();
    try {
        const double error = Operands(side, side, type, device).relativeError();
        if (isRight(error, type))
            return {};
        return failure(
            what + " are wrong (relative error " + numberText(error) + "); choose another compute type.", Fault::work);
    } catch (const c10::OutOfMemoryError&) {
        return {}; // a limit too low for this is too low for the run, which says so with its remedies
    } catch (const std::exception&) {
        return failure(what + " do not work on this device; choose another compute type.", Fault::work);
    }
}

} // namespace tunebench
