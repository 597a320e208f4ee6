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
    // Its GGUF files call themselves llama.
    ModelFamily { .name = "mistral",
        .modelClass = "MistralForCausalLM",
        .slidingWindow = SlidingWindow::whenGiven,
        .defaultKeyValueHeads = 8,
        .defaultContext = 131072 },
    ModelFamily { .name = "qwen2",
        .modelClass = "Qwen2ForCausalLM",
        .ggufArchitecture = "qwen2",
        .queryKeyValueBias = true,
        .slidingWindow = SlidingWindow::whenUsed,
        .defaultKeyValueHeads = 32,
        .defaultContext = 32768 },
    ModelFamily { .name = "qwen3",
        .modelClass = "Qwen3ForCausalLM",
        .ggufArchitecture = "qwen3",
        .attentionBiasOption = true,
        .queryKeyNorm = true,
        .slidingWindow = SlidingWindow::whenUsed,
        .defaultKeyValueHeads = 32,
        .defaultHeadSize = 128,
        .defaultContext = 32768 },
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
