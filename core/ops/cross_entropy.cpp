#include "core/ops/cross_entropy.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/pieces.h"
#include "core/ops/views.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <algorithm>

namespace tunebench {
namespace {

/// Rows of logits that exist at once: about 32 MiB of fp32, but enough rows for a fast product.
int64_t chunkRows(int64_t vocabulary)
{
    constexpr int64_t numbers = int64_t { 8 } << 20;
    return std::clamp<int64_t>(numbers / vocabulary / 16 * 16, 32, 1024);
}

/// Rows of a head that is held in another type than the products are made in, cast at once.
constexpr int64_t castRows = 8192;

/// hidden W^T in fp32: [rows, vocabulary].
at::Tensor logitsOf(const at::Tensor& hidden, const Parameter& head)
{
    const auto type = head.productType(hidden);
    const auto input = hidden.to(type);
    if (head.value.scalar_type() == type)
        return at::mm(input, transposed(head.value)).to(at::kFloat);
    auto logits = at::empty({ hidden.size(0), head.value.size(0) }, hidden.options().dtype(at::kFloat));
    forEachPiece(head.value, castRows, [&](int64_t first, int64_t rows) {
        const auto block = narrowed(head.value, 0, first, rows).to(type);
        narrowed(logits, 1, first, rows).copy_(at::mm(input, transposed(block)));
    });
    return logits;
}

/// target = gradient W.
void inputGradientInto(const at::Tensor& target, const at::Tensor& gradient, const Parameter& head)
{
    const auto type = gradient.scalar_type();
    if (head.value.scalar_type() == type) {
        target.copy_(at::mm(gradient, head.value));
        return;
    }
    const auto sum = at::zeros(target.sizes(), gradient.options());
    forEachPiece(head.value, castRows, [&](int64_t first, int64_t rows) {
        sum.addmm_(narrowed(gradient, 1, first, rows), narrowed(head.value, 0, first, rows).to(type));
    });
    target.copy_(sum);
}

/// How logits are capped before the softmax.
struct LogitCap {
    double softcap = 0; ///< 0: not at all
    bool slopeWanted = false; ///< for a gradient
};

/// exp(logits - their maximum) and what the loss needs of them.
struct ChunkSoftmax {
    at::Tensor exponentials; ///< [rows, vocabulary], fp32
    at::Tensor sums; ///< [rows, 1]
    at::Tensor slope; ///< of the cap, 1 - tanh^2, [rows, vocabulary]; undefined where nothing is capped

    /// Writes the chunk's losses [rows, 1] into `losses`.
    ChunkSoftmax(at::Tensor logits, const at::Tensor& targets, const at::Tensor& losses, const LogitCap& cap)
        : exponentials(std::move(logits))
    {
        if (cap.softcap > 0) {
            exponentials.div_(cap.softcap).tanh_();
            if (cap.slopeWanted)
                slope = at::mul(exponentials, exponentials).neg_().add_(1);
            exponentials.mul_(cap.softcap);
        }
        const auto largest = exponentials.amax(-1, true);
        exponentials.sub_(largest);
        const auto chosen = exponentials.gather(1, targets);
        exponentials.exp_();
        sums = exponentials.sum(-1, true);
        losses.copy_(sums.log().sub_(chosen));
    }

    /// (softmax - one-hot of the targets) * weights [rows, 1] through the cap, in place of the exponentials.
    at::Tensor gradient(const at::Tensor& targets, const at::Tensor& weights)
    {
        exponentials.div_(sums).mul_(weights);
        exponentials.scatter_add_(1, targets, weights.neg());
        if (slope.defined())
            exponentials.mul_(slope);
        return std::move(exponentials);
    }
};

/// Calls body(first row, rows, softmax of the chunk, targets [rows, 1]) for each chunk; returns the losses [rows].
template <class Body>
at::Tensor forEachChunk(
    const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets, const LogitCap& cap, Body body)
{
    auto losses = at::empty({ hidden.size(0), 1 }, hidden.options().dtype(at::kFloat));
    const int64_t step = chunkRows(head.value.size(0));
    forEachPiece(hidden, step, [&](int64_t first, int64_t rows) {
        const auto chunkTargets = narrowed(targets, 0, first, rows).unsqueeze(1);
        ChunkSoftmax softmax(
            logitsOf(narrowed(hidden, 0, first, rows), head), chunkTargets, narrowed(losses, 0, first, rows), cap);
        body(first, rows, softmax, chunkTargets);
    });
    return losses.squeeze(1);
}

} // namespace

at::Tensor linearLogits(const at::Tensor& hidden, const Parameter& head, double softcap)
{
    auto logits = logitsOf(hidden, head);
    return softcap > 0 ? logits.div_(softcap).tanh_().mul_(softcap) : logits;
}

at::Tensor linearCrossEntropy(
    const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets, double softcap)
{
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    return forEachChunk(
        hidden, head, targets, { softcap, false }, [](int64_t, int64_t, ChunkSoftmax&, const at::Tensor&) {});
}

at::Tensor linearCrossEntropyWithGradient(const at::Tensor& hidden, const Parameter& head, const at::Tensor& targets,
    const at::Tensor& weights, at::Tensor& hiddenGradient, double softcap)
{
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    hiddenGradient = at::empty_like(hidden);
    return forEachChunk(hidden, head, targets, { softcap, true },
        [&](int64_t first, int64_t rows, ChunkSoftmax& softmax, const at::Tensor& chunkTargets) {
            const auto input = narrowed(hidden, 0, first, rows);
            const auto gradient = softmax.gradient(chunkTargets, narrowed(weights, 0, first, rows).unsqueeze(1))
                                      .to(head.productType(input));
            inputGradientInto(narrowed(hiddenGradient, 0, first, rows), gradient, head);
            if (head.trained())
                head.addGradient(gradient, input);
        });
}

} // namespace tunebench
