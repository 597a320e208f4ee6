#include "core/ops/dropout.h"

#include "core/ops/recorded_operation.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <cmath>

namespace tunebench {
namespace {

constexpr uint64_t goldenRatio = 0x9e3779b97f4a7c15U;

uint64_t scrambled(uint64_t number)
{
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
    return number ^ (number >> 31U);
}

/// The k-th number of a stream decides two places of the whole: each half is a fraction of 2^32. The mask begins at
/// place `first`.
template <class Number> void fillMask(Number* mask, int64_t count, int64_t first, const Dropout& dropout)
{
    const auto threshold = static_cast<uint64_t>(std::llround((1 - dropout.share) * 0x1p32));
    const auto kept = static_cast<Number>(1 / (1 - dropout.share));
    const auto left = static_cast<Number>(0);
    constexpr int64_t grain = 1 << 14;
    const int64_t last = first + count;
    at::parallel_for(first / 2, (last + 1) / 2, grain, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
            const uint64_t number = scrambled(*dropout.seed + (static_cast<uint64_t>(k) + 1) * goldenRatio);
            if (2 * k >= first)
                mask[2 * k - first] = (number >> 32U) < threshold ? kept : left;
            if (2 * k + 1 < last)
                mask[2 * k + 1 - first] = (number & 0xffffffffU) < threshold ? kept : left;
        }
    });
}

void fillMask(const at::Tensor& mask, const Dropout& dropout)
{
    const int64_t first = dropout.before * mask.size(-1);
    switch (mask.scalar_type()) {
    case at::kHalf:
        return fillMask(mask.mutable_data_ptr<at::Half>(), mask.numel(), first, dropout);
    case at::kBFloat16:
        return fillMask(mask.mutable_data_ptr<at::BFloat16>(), mask.numel(), first, dropout);
    default:
        return fillMask(mask.mutable_data_ptr<float>(), mask.numel(), first, dropout);
    }
}

/// The device's own generator fills wholes only.
void drawMask(at::Tensor& mask, const Dropout& dropout)
{
    auto generator
        = at::globalContext().getAcceleratorHooksInterface(mask.device().type()).getNewGenerator(mask.device().index());
    generator.set_current_seed(*dropout.seed);
    const int64_t rows = dropout.before + mask.size(0) + dropout.after;
    const bool part = rows > mask.size(0);
    auto whole = part ? at::empty({ rows, mask.size(-1) }, mask.options()) : mask;
    whole.bernoulli_(1 - dropout.share, generator);
    if (part)
        mask.copy_(whole.narrow(0, dropout.before, mask.size(0)));
    mask.mul_(1 / (1 - dropout.share));
}

} // namespace

at::Tensor dropoutMask(const at::Tensor& x, const Dropout& dropout)
{
    static const c10::FunctionSchema schema("tunebench::dropout_mask", "", {}, {});
    auto mask = at::empty_like(x, at::MemoryFormat::Contiguous);
    const RecordedOperation recorded(schema, { mask });
    if (mask.is_cpu())
        fillMask(mask, dropout);
    else if (!mask.is_meta())
        drawMask(mask, dropout);
    return mask;
}

uint64_t mixedSeed(uint64_t first, uint64_t second)
{
    return scrambled(scrambled(first + goldenRatio) + (second + 1) * goldenRatio);
}

} // namespace tunebench
