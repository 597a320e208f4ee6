#include "core/ops/lora_pair.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros.h>
#include <algorithm>

namespace tunebench {
namespace {

/// What reaches the two products of a pair's output.
struct PairGradients {
    at::Tensor output; ///< of W x' + scale * B A x', [tokens, out]
    at::Tensor lowRank; ///< of A x', [tokens, rank]
};

/// The sum over tokens of a * b, both [tokens, out], in fp32: [out]. `a` may be overwritten. Some tokens at a time:
/// copies of 16-bit tensors in fp32 would be the largest that the step holds.
at::Tensor sumOfProducts(const at::Tensor& a, const at::Tensor& b)
{
    constexpr int64_t tokensAtOnce = 256;
    auto sum = at::zeros({ a.size(1) }, a.options().dtype(at::kFloat));
    for (int64_t first = 0; first < a.size(0); first += tokensAtOnce) {
        const int64_t tokens = std::min(tokensAtOnce, a.size(0) - first);
        auto products = a.narrow(0, first, tokens).to(at::kFloat);
        sum.add_(products.mul_(b.narrow(0, first, tokens).to(at::kFloat)).sum(0));
    }
    return sum;
}

/// Adds the magnitude's gradient and returns that of the product which it scales. `reduced` is scale * x' A^T.
at::Tensor magnitudeBackward(const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient,
    const at::Tensor& input, const at::Tensor& reduced)
{
    const auto lengths = updatedRowLengths(pair, weight);
    {
        auto product = at::mm(input, weight.heldAs(input).t());
        product.addmm_(reduced, pair.b.heldAs(input).t());
        pair.magnitude.gradient.add_(sumOfProducts(product, outputGradient).div_(lengths));
    }
    return at::mul(outputGradient, at::div(pair.magnitude.value, lengths).to(outputGradient.scalar_type()));
}

/// Adds to the pair's gradients, given its input after dropout.
PairGradients pairBackward(
    const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& input)
{
    const auto reduced = at::mm(input, pair.a.heldAs(input).t()).mul_(pair.scale);
    const auto scaled
        = pair.magnitude.exists() ? magnitudeBackward(pair, weight, outputGradient, input, reduced) : outputGradient;
    auto lowRank = at::mm(scaled, pair.b.heldAs(scaled)).mul_(pair.scale);
    addProduct(pair.b.gradient, scaled.t(), reduced);
    addProduct(pair.a.gradient, lowRank.t(), input);
    return { scaled, std::move(lowRank) };
}

at::Tensor droppedOut(const LoraPair& pair, const at::Tensor& x)
{
    return pair.dropout.active() ? dropoutMask(x, pair.dropout).mul_(x) : x;
}

} // namespace

at::Tensor updatedRowLengths(const LoraPair& pair, const Parameter& weight)
{
    const auto updated = at::addmm(weight.heldAs(at::kFloat), pair.b.value, pair.a.value, 1, pair.scale);
    return at::linalg_vector_norm(updated, 2, at::IntArrayRef(1));
}

void addLoraProduct(const LoraPair& pair, const Parameter& weight, const at::Tensor& x, const at::Tensor& y)
{
    const auto input = droppedOut(pair, x);
    const auto reduced = at::mm(input, pair.a.heldAs(x).t());
    const auto expand = pair.b.heldAs(x).t();
    if (!pair.magnitude.exists()) {
        y.addmm_(reduced, expand, 1, pair.scale);
        return;
    }
    const auto scale = at::div(pair.magnitude.value, updatedRowLengths(pair, weight)).to(x.scalar_type());
    if (!pair.dropout.active()) {
        y.addmm_(reduced, expand, 1, pair.scale).mul_(scale);
        return;
    }
    auto product = at::mm(input, weight.heldAs(x).t());
    y.sub_(product);
    y.add_(product.addmm_(reduced, expand, 1, pair.scale).mul_(scale));
}

void addLoraGradients(
    const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& x)
{
    pairBackward(pair, weight, outputGradient, droppedOut(pair, x));
}

void loraBackward(const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& x,
    at::Tensor& inputGradient)
{
    if (!pair.dropout.active()) {
        const auto gradients = pairBackward(pair, weight, outputGradient, x);
        addProductTo(inputGradient, gradients.output, weight.heldAs(x));
        inputGradient.addmm_(gradients.lowRank, pair.a.heldAs(x));
        return;
    }
    const auto mask = dropoutMask(x, pair.dropout);
    const auto gradients = pairBackward(pair, weight, outputGradient, at::mul(mask, x));
    addProductTo(inputGradient, outputGradient, weight.heldAs(x));
    auto dropped = at::mm(gradients.lowRank, pair.a.heldAs(x));
    if (pair.magnitude.exists())
        dropped.addmm_(at::sub(gradients.output, outputGradient), weight.heldAs(x));
    inputGradient.add_(dropped.mul_(mask));
}

} // namespace tunebench
