#include "core/model/gguf_rope.h"

#include "core/model/dequantize.h"
#include "core/model/rope_fit.h"

#include <algorithm>

namespace tunebench {
namespace {

using Scaling = RopeSpec::Scaling;

constexpr std::string_view llama3Factors = "rope_freqs.weight";
constexpr std::string_view shortFactors = "rope_factors_short.weight";
constexpr std::string_view longFactors = "rope_factors_long.weight";

void readYarn(RopeSpec& rope, GgufKeys& keys, int64_t contextLength)
{
    rope.factor = keys.number("rope.scaling.factor");
    rope.originalContext = keys.integer("rope.scaling.original_context_length", contextLength);
    rope.betaFast = keys.number("rope.scaling.yarn_beta_fast", rope.betaFast);
    rope.betaSlow = keys.number("rope.scaling.yarn_beta_slow", rope.betaSlow);
    rope.attentionFactor = keys.number("rope.scaling.yarn_attn_factor", yarnAttentionFactor(rope.factor))
        * keys.number("rope.scaling.attn_factor", 1);
}

double shareOf(int64_t rotated, int64_t headSize)
{
    const auto size = static_cast<double>(headSize);
    const double share = static_cast<double>(rotated) / size;
    // Half a dimension more where rounding would lose one.
    return rotatedSize({ .rotatedShare = share }, headSize) == rotated ? share
                                                                       : (static_cast<double>(rotated) + 0.5) / size;
}

/// One number for each rotation frequency, or nothing where there is no such tensor.
Result<std::vector<float>> readFactors(const GgufFile& file, std::string_view name, size_t count)
{
    const TensorInfo* tensor = file.findTensor(name);
    if (!tensor)
        return std::vector<float>();
    if (tensor->type != StorageType::f32 || tensor->shape != std::vector { static_cast<int64_t>(count) })
        return failure(file.path().string() + " has a " + std::string(name) + " of a wrong type or shape.");
    std::vector<float> factors(count);
    dequantize(tensor->type, file.bytes(static_cast<size_t>(tensor - file.tensors().data())), factors);
    return factors;
}

Result<void> readLongrope(ModelSpec& spec, GgufKeys& keys, const ModelFamily& family, const std::vector<float>& shorter,
    const std::vector<float>& longer)
{
    RopeSpec& rope = spec.rope;
    rope.scaling = Scaling::longrope;
    rope.shortFactors.assign(shorter.begin(), shorter.end());
    rope.longFactors.assign(longer.begin(), longer.end());
    const int64_t usual = family.defaultOriginalContext > 0 ? family.defaultOriginalContext : spec.contextLength;
    rope.originalContext = keys.integer("rope.scaling.original_context_length", usual);
    const double stretch
        = static_cast<double>(spec.contextLength) / static_cast<double>(std::max<int64_t>(rope.originalContext, 1));
    rope.attentionFactor = keys.number(
        "rope.scaling.attn_factor", longropeAttentionFactor(stretch, std::max<int64_t>(rope.originalContext, 2)));
    return keys.problem().empty() ? Result<void>() : failure(keys.problem());
}

} // namespace

void readGgufRopes(ModelSpec& spec, GgufKeys& keys, const ModelFamily& family)
{
    RopeSpec& rope = spec.rope;
    rope.theta = keys.number("rope.freq_base", family.defaultTheta);
    const int64_t rotated = keys.integer("rope.dimension_count", spec.headSize);
    if (rotated != spec.headSize && (!family.partialRotation || rotated <= 0 || rotated > spec.headSize))
        keys.refuse("rope.dimension_count", "other than the size of a head, which is not known of this model");
    else if (rotated != spec.headSize)
        rope.rotatedShare = shareOf(rotated, spec.headSize);
    const std::string type = keys.text("rope.scaling.type", "none");
    if (type == "linear") {
        rope.scaling = Scaling::linear;
        rope.factor = keys.number("rope.scaling.factor");
    } else if (type == "yarn") {
        rope.scaling = Scaling::yarn;
        readYarn(rope, keys, spec.contextLength);
    } else if (type != "none" && type != "longrope") {
        keys.refuse("rope.scaling.type", "\"" + type + "\"; known are none, linear, llama3, yarn and longrope");
    }
    if (family.defaultLocalTheta > 0 && !spec.slidingLayers.empty())
        spec.slidingRope = RopeSpec { .theta = keys.number("rope.freq_base_swa", family.defaultLocalTheta) };
    if (spec.slidingRope == rope)
        spec.slidingRope.reset();
}

Result<void> readGgufRopeTensors(ModelSpec& spec, const GgufFile& file, GgufKeys& keys, const ModelFamily& family)
{
    const auto count = static_cast<size_t>(rotatedSize(spec.rope, spec.headSize) / 2);
    const auto llama3 = readFactors(file, llama3Factors, count);
    const auto shorter = readFactors(file, shortFactors, count);
    const auto longer = readFactors(file, longFactors, count);
    for (const auto* read : { &llama3, &shorter, &longer }) {
        if (!*read)
            return tl::unexpected(read->error());
    }
    if (!shorter->empty() || !longer->empty())
        return readLongrope(spec, keys, family, *shorter, *longer).and_then([&] {
            return checkRopeSpec(spec.rope, spec.headSize, file.path().string());
        });
    if (llama3->empty())
        return {};
    const auto rope = fitLlama3(*llama3, spec.rope.theta, spec.headSize);
    if (!rope || spec.rope.scaling != Scaling::none)
        return failure(file.path().string() + " has rope factors (" + std::string(llama3Factors)
            + ") that are not those of llama3 scaling, which are the only ones known.");
    spec.rope = *rope;
    return {};
}

bool isRopeTensor(std::string_view name)
{
    return name == llama3Factors || name == shortFactors || name == longFactors;
}

} // namespace tunebench
