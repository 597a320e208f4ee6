#include "core/model/model_family.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

using SlidingWindow = ModelFamily::SlidingWindow;

constexpr std::array families = {
    ModelFamily { .name = "llama",
        .modelClass = "LlamaForCausalLM",
        .ggufArchitecture = "llama",
        .attentionBiasOption = true,
        .mlpBiasOption = true,
        .interleavedInGguf = true,
        .defaultContext = 2048 },
    // Its GGUF files call themselves llama; only a window tells them apart.
    ModelFamily { .name = "mistral",
        .modelClass = "MistralForCausalLM",
        .slidingWindow = SlidingWindow::everyLayer,
        .interleavedInGguf = true,
        .defaultKeyValueHeads = 8,
        .defaultContext = 131072,
        .defaultWindow = 4096 },
    ModelFamily { .name = "qwen2",
        .modelClass = "Qwen2ForCausalLM",
        .ggufArchitecture = "qwen2",
        .queryKeyValueBias = true,
        .slidingWindow = SlidingWindow::whenUsed,
        .defaultKeyValueHeads = 32,
        .defaultContext = 32768,
        .defaultWindow = 4096 },
    ModelFamily { .name = "qwen3",
        .modelClass = "Qwen3ForCausalLM",
        .ggufArchitecture = "qwen3",
        .attentionBiasOption = true,
        .queryKeyNorm = true,
        .slidingWindow = SlidingWindow::whenUsed,
        .defaultKeyValueHeads = 32,
        .defaultHeadSize = 128,
        .defaultContext = 32768,
        .defaultWindow = 4096 },
    ModelFamily { .name = "gemma",
        .modelClass = "GemmaForCausalLM",
        .ggufArchitecture = "gemma",
        .attentionBiasOption = true,
        .normAddsOne = true,
        .embeddingScaled = true,
        .activation = Activation::geluTanh,
        .defaultTied = true,
        .defaultKeyValueHeads = 16,
        .defaultHeadSize = 256,
        .defaultPadding = 0,
        .defaultContext = 8192 },
    ModelFamily { .name = "gemma2",
        .modelClass = "Gemma2ForCausalLM",
        .ggufArchitecture = "gemma2",
        .attentionBiasOption = true,
        .normAddsOne = true,
        .embeddingScaled = true,
        .outputNorms = true,
        .attentionSoftcapOption = true,
        .finalSoftcapOption = true,
        .slidingWindow = SlidingWindow::byPattern,
        .fullEvery = 2,
        .activation = Activation::geluTanh,
        .activationKey = "hidden_activation",
        .layersScaledByWidth = 46,
        .defaultTied = true,
        .defaultKeyValueHeads = 4,
        .defaultHeadSize = 256,
        .defaultPadding = 0,
        .defaultContext = 8192,
        .defaultWindow = 4096,
        .defaultQueryScalar = 256,
        .defaultAttentionSoftcap = 50,
        .defaultFinalSoftcap = 30 },
    ModelFamily { .name = "gemma3_text",
        .modelClass = "Gemma3ForCausalLM",
        .ggufArchitecture = "gemma3",
        .attentionBiasOption = true,
        .queryKeyNorm = true,
        .normAddsOne = true,
        .embeddingScaled = true,
        .outputNorms = true,
        .finalSoftcapOption = true,
        .slidingWindow = SlidingWindow::byPattern,
        .fullEvery = 6,
        .activation = Activation::geluTanh,
        .activationKey = "hidden_activation",
        .layersScaledByWidth = 62,
        .defaultTied = true,
        .defaultHeads = 8,
        .defaultKeyValueHeads = 4,
        .defaultHeadSize = 256,
        .defaultVocabulary = 262208,
        .defaultPadding = 0,
        .defaultContext = 131072,
        .defaultWindow = 4096,
        .defaultTheta = 1e6,
        .defaultLocalTheta = 1e4,
        .defaultQueryScalar = 256 },
    ModelFamily { .name = "phi3",
        .modelClass = "Phi3ForCausalLM",
        .ggufArchitecture = "phi3",
        .fusedProjections = true,
        .partialRotation = true,
        .slidingWindow = SlidingWindow::everyLayer,
        .defaultPadding = 32000,
        .defaultContext = 4096,
        .defaultOriginalContext = 4096,
        .defaultNormEpsilon = 1e-5 },
};

const ModelFamily* rowWith(std::string_view ModelFamily::*member, std::string_view value)
{
    const auto row = std::ranges::find(families, value, member);
    return row == families.end() ? nullptr : &*row;
}

} // namespace

std::span<const ModelFamily> modelFamilies()
{
    return families;
}

const ModelFamily* familyByName(std::string_view modelType)
{
    return rowWith(&ModelFamily::name, modelType);
}

const ModelFamily* familyByArchitecture(std::string_view architecture)
{
    return architecture.empty() ? nullptr : rowWith(&ModelFamily::ggufArchitecture, architecture);
}

std::string knownFamilies()
{
    std::string list;
    for (const ModelFamily& family : families)
        list += (list.empty() ? "" : ", ") + std::string(family.name);
    return list;
}

} // namespace tunebench
