#include "core/train/generate.h"

#include "core/memory/memory_ledger.h"
#include "core/train/embed_pass.h"
#include "core/train/head_pass.h"
#include "core/train/host_tensor.h"
#include "core/train/layer_pass.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <numeric>

namespace tunebench {
namespace {

/// Tokens after which some rope has other frequencies; 0: none has.
int64_t originalContext(const Decoder& decoder)
{
    int64_t shortest = 0;
    for (const RopeFrequencies& rope : decoder.ropes) {
        if (rope.originalContext > 0 && (shortest == 0 || rope.originalContext < shortest))
            shortest = rope.originalContext;
    }
    return shortest;
}

TokenId likeliest(const at::Tensor& logits)
{
    return static_cast<TokenId>(scalarValue(at::argmax(logits)));
}

} // namespace

Generation::Generation(const Decoder& decoder, int64_t room)
    : m_decoder(decoder)
{
    const CategoryScope scope(MemoryCategory::savedActivations);
    const ModelSpec& spec = decoder.spec;
    const auto made = [&] {
        return at::empty(
            { spec.keyValueHeads, room, spec.headSize }, at::TensorOptions(at::kFloat).device(decoder.device));
    };
    for (int64_t i = 0; i < spec.layers; ++i)
        m_caches.push_back({ made(), made(), 0 });
}

at::Tensor Generation::read(std::span<const TokenId> ids)
{
    int64_t known = tokens();
    m_ids.insert(m_ids.end(), ids.begin(), ids.end());
    const int64_t original = originalContext(m_decoder);
    if (known > 0 && known <= original && tokens() > original)
        known = 0;
    std::vector<int64_t> positions(m_ids.size() - static_cast<size_t>(known));
    std::iota(positions.begin(), positions.end(), known);
    const std::span<const int64_t> news(m_ids.end() - std::ssize(positions), m_ids.end());

    PassContext context { m_decoder.spec, anglesOf(m_decoder, positions), {} };
    const PlaceScope place({ -1, "embedding", "answer" });
    auto x = embed(m_decoder, hostTensor<int64_t>(news, { std::ssize(news) }, m_decoder.device));
    for (size_t i = 0; i < m_decoder.layers.size(); ++i) {
        const PlaceScope layerPlace({ static_cast<int>(i), "layer", "answer" });
        m_caches[i].tokens = known;
        context.cache = &m_caches[i];
        x = layerForward(m_decoder.layers[i], context, x, nullptr);
    }
    return nextTokenLogits(m_decoder, x.narrow(0, x.size(0) - 1, 1)).squeeze(0);
}

void Generation::pretendRead(int64_t tokens)
{
    m_ids.resize(static_cast<size_t>(tokens), 0);
}

std::optional<GeneratedAnswer> answerGreedily(const Decoder& decoder, std::span<const TokenId> prompt,
    std::span<const TokenId> ends, int64_t most, const std::function<bool()>& goOn)
{
    GeneratedAnswer answer;
    if (!goOn())
        return std::nullopt;
    Generation generation(decoder, std::ssize(prompt) + most - 1); // nobody reads the last token
    TokenId next = likeliest(generation.read(prompt));
    while (std::ranges::find(ends, next) == ends.end()) {
        answer.ids.push_back(next);
        if (std::ssize(answer.ids) == most)
            return answer;
        if (!goOn())
            return std::nullopt;
        next = likeliest(generation.read({ &next, 1 }));
    }
    answer.ended = true;
    return answer;
}

void dryAnswer(const Decoder& decoder, int64_t promptTokens, int64_t most)
{
    const int64_t room = promptTokens + most - 1;
    Generation generation(decoder, room);
    const int64_t again = originalContext(decoder) + 1; // read from the beginning when the sequence grows to it
    const int64_t longest = again > 1 && promptTokens < again && again <= room ? again : promptTokens;
    static_cast<void>(likeliest(generation.read(std::vector<TokenId>(static_cast<size_t>(longest), 0))));
    if (longest == room)
        return;
    generation.pretendRead(room - 1);
    static_cast<void>(likeliest(generation.read(std::vector<TokenId>(1, 0))));
}

} // namespace tunebench
