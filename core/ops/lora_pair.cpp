#include "core/ops/lora_pair.h"

#include "core/ops/pieces.h"
#include "core/ops/product.h"
#include "core/ops/views.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros.h>

namespace tunebench {
namespace {

/// What reaches the two products of a pair's output.
struct PairGradients {
    at::Tensor output; ///< of W x' + scale * B A x', [tokens, out]
    at::Tensor lowRank; ///< of A x', [tokens, rank]
};

/// The sum over tokens of a * b, both [tokens, out], in fp32: [out]. `a` may be overwritten.
at::Tensor sumOfProducts(const at::Tensor& a, const at::Tensor& b)
{
    auto sum = at::zeros({ a.size(1) }, a.options().dtype(at::kFloat));
    forEachPiece(a, widerRows, [&](int64_t first, int64_t count) {
        auto products = narrowed(a, 0, first, count).to(at::kFloat);
        sum.add_(products.mul_(narrowed(b, 0, first, count).to(at::kFloat)).sum(0));
    });
    return sum;
}

/// Adds the magnitude's gradient and returns that of the product which it scales. `reduced` is scale * x' A^T.
at::Tensor magnitudeBackward(const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient,
    const at::Tensor& input, const at::Tensor& reduced)
{
    const auto lengths = updatedRowLengths(pair, weight);
    {
        const auto output = product(input, transposed(weight.heldForProduct(input)));
        addProduct(output, reduced, transposed(pair.b.heldForProduct(input)));
        pair.magnitude.gradient.add_(sumOfProducts(output, outputGradient).div_(lengths));
    }
    return at::mul(outputGradient, at::div(pair.magnitude.value, lengths).to(outputGradient.scalar_type()));
}

/// Adds to the pair's gradients, given its input after dropout.
PairGradients pairBackward(
    const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& input)
{
    const auto reduced = product(input, transposed(pair.a.heldForProduct(input))).mul_(pair.scale);
    const auto scaled
        = pair.magnitude.exists() ? magnitudeBackward(pair, weight, outputGradient, input, reduced) : outputGradient;
    auto lowRank = product(scaled, pair.b.heldForProduct(scaled)).mul_(pair.scale);
    pair.b.addGradient(scaled, reduced);
    pair.a.addGradient(lowRank, input);
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
    const auto reduced = product(input, transposed(pair.a.heldForProduct(x)));
    const auto expand = transposed(pair.b.heldForProduct(x));
    if (!pair.magnitude.exists()) {
        addProduct(y, reduced, expand, pair.scale);
        return;
    }
    const auto scale = at::div(pair.magnitude.value, updatedRowLengths(pair, weight)).to(x.scalar_type());
    if (!pair.dropout.active()) {
        addProduct(y, reduced, expand, pair.scale);
        y.mul_(scale);
        return;
    }
    auto rescaled = product(input, transposed(weight.heldForProduct(x)));
    y.sub_(rescaled);
    addProduct(rescaled, reduced, expand, pair.scale);
    y.add_(rescaled.mul_(scale));
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
        addProductTo(inputGradient, gradients.output, weight.heldForProduct(x));
        addProduct(inputGradient, gradients.lowRank, pair.a.heldForProduct(x));
        return;
    }
    const auto mask = dropoutMask(x, pair.dropout);
    const auto gradients = pairBackward(pair, weight, outputGradient, at::mul(mask, x));
    addProductTo(inputGradient, outputGradient, weight.heldForProduct(x));
    auto dropped = product(gradients.lowRank, pair.a.heldForProduct(x));
    if (pair.magnitude.exists())
        addProduct(dropped, at::sub(gradients.output, outputGradient), weight.heldForProduct(x));
    inputGradient.add_(dropped.mul_(mask));
}

} // namespace tunebench
