#include "core/train/embed_pass.h"

#include "core/memory/memory_ledger.h"
#include "core/train/host_tensor.h"

#include <ATen/ops/embedding.h>
#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

RopeAngles anglesOf(const RopeFrequencies& rope, const std::vector<int64_t>& positions, const Decoder& decoder)
{
    const int64_t longest = positions.empty() ? 0 : *std::ranges::max_element(positions) + 1;
    // As in transformers, the longest row decides for the whole micro-batch.
    const auto& frequencies
        = rope.originalContext > 0 && longest > rope.originalContext ? rope.beyondOriginal : rope.usual;
    std::vector<float> cosine, sine;
    cosine.reserve(positions.size() * frequencies.size());
    sine.reserve(cosine.capacity());
    for (const int64_t position : positions) {
        for (const float frequency : frequencies) {
            const float angle = static_cast<float>(position) * frequency;
            cosine.push_back(std::cos(angle) * rope.factor);
            sine.push_back(std::sin(angle) * rope.factor);
        }
    }
    const std::vector<int64_t> shape { static_cast<int64_t>(positions.size()), 1,
        static_cast<int64_t>(frequencies.size()) };
    return { hostTensor<float>(cosine, shape, decoder.device).to(decoder.compute),
        hostTensor<float>(sine, shape, decoder.device).to(decoder.compute) };
}

/// What embeddings are multiplied by: the root of the hidden size as the compute type holds it (transformers'
/// GemmaTextScaledWordEmbedding), or 1.
double embeddingScale(const Decoder& decoder)
{
    if (!decoder.spec.embeddingScaled)
        return 1;
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(decoder.spec.hiddenSize)));
    switch (decoder.compute) {
    case at::kBFloat16:
        return static_cast<float>(at::BFloat16(scale));
    case at::kHalf:
        return static_cast<float>(at::Half(scale));
    default:
        return scale;
    }
}

} // namespace

std::vector<RopeAngles> anglesOf(const Decoder& decoder, const std::vector<int64_t>& positions)
{
    std::vector<RopeAngles> angles;
    for (const RopeFrequencies& rope : decoder.ropes)
        angles.push_back(anglesOf(rope, positions, decoder));
    return angles;
}

at::Tensor embed(const Decoder& decoder, const at::Tensor& ids)
{
    auto embedded = at::embedding(decoder.embedding.value, ids).to(decoder.compute);
    if (decoder.spec.embeddingScaled)
        embedded.mul_(embeddingScale(decoder));
    return embedded;
}

void embedBackward(const Decoder& decoder, const at::Tensor& ids, const at::Tensor& gradient)
{
    if (!decoder.embedding.trained())
        return;
    const PlaceScope place(-1, "embedding");
    if (decoder.spec.paddingToken >= 0) // as torch's Embedding with a padding_idx, which transformers makes
        gradient.masked_fill_(ids.eq(decoder.spec.paddingToken).unsqueeze(1), 0);
    decoder.embedding.gradient.index_add_(0, ids, gradient.to(at::kFloat), embeddingScale(decoder));
}

} // namespace tunebench
