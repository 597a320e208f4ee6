#include "core/model/model_family.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

constexpr std::array families = {
    ModelFamily { .name = "llama",
        .modelClass = "LlamaForCausalLM",
        .ggufArchitecture = "llama",
        .biasOptions = true,
        .queryKeyValueBias = false,
        .slidingWindowOption = false,
        .interleavedInGguf = true,
        .defaultKeyValueHeads = 0,
        .defaultContext = 2048 },
    ModelFamily { .name = "qwen2",
        .modelClass = "Qwen2ForCausalLM",
        .ggufArchitecture = "qwen2",
        .biasOptions = false,
        .queryKeyValueBias = true,
        .slidingWindowOption = true,
        .interleavedInGguf = false,
        .defaultKeyValueHeads = 32,
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
    return rowWith(&ModelFamily::ggufArchitecture, architecture);
}

std::string knownFamilies()
{
    std::string list;
    for (const ModelFamily& family : families)
        list += (list.empty() ? "" : ", ") + std::string(family.name);
    return list;
}

} // namespace tunebench
