#include "core/model/gguf_names.h"

#include <algorithm>
#include <array>
#include <span>

namespace tunebench {
namespace {

struct NamePair {
    std::string_view gguf;
    std::string_view transformers;
};

/// Modules outside the blocks (gguf-py, constants.py, MODEL_TENSOR).
constexpr std::array modelNames = {
    NamePair { "token_embd", "model.embed_tokens" },
    NamePair { "output_norm", "model.norm" },
    NamePair { "output", "lm_head" },
};

/// Modules of a block, after "blk.N." and "model.layers.N.".
constexpr std::array blockNames = {
    NamePair { "attn_norm", "input_layernorm" },
    NamePair { "attn_q", "self_attn.q_proj" },
    NamePair { "attn_k", "self_attn.k_proj" },
    NamePair { "attn_q_norm", "self_attn.q_norm" },
    NamePair { "attn_k_norm", "self_attn.k_norm" },
    NamePair { "attn_v", "self_attn.v_proj" },
    NamePair { "attn_qkv", "self_attn.qkv_proj" },
    NamePair { "attn_output", "self_attn.o_proj" },
    NamePair { "ffn_norm", "post_attention_layernorm" },
    NamePair { "ffn_gate", "mlp.gate_proj" },
    NamePair { "ffn_up", "mlp.up_proj" },
    NamePair { "ffn_down", "mlp.down_proj" },
};

/// What the names of a block mean in families that normalise what attention and MLP put out.
constexpr std::array outputNormNames = {
    NamePair { "ffn_norm", "pre_feedforward_layernorm" },
    NamePair { "post_attention_norm", "post_attention_layernorm" },
    NamePair { "post_ffw_norm", "post_feedforward_layernorm" },
};

/// What the names of a block mean in families with fused projections.
constexpr std::array fusedNames = {
    NamePair { "ffn_up", "mlp.gate_up_proj" },
};

/// transformers' name of a module in the first list that has it, or nothing.
std::string_view find(std::string_view module, std::initializer_list<std::span<const NamePair>> lists)
{
    for (const auto& names : lists) {
        if (const auto pair = std::ranges::find(names, module, &NamePair::gguf); pair != names.end())
            return pair->transformers;
    }
    return {};
}

std::string_view findInBlock(std::string_view module, const ModelFamily& family)
{
    const std::span<const NamePair> none;
    return find(module,
        { family.outputNorms ? std::span<const NamePair>(outputNormNames) : none,
            family.fusedProjections ? std::span<const NamePair>(fusedNames) : none, blockNames });
}

} // namespace

std::string transformersName(std::string_view name, const ModelFamily& family)
{
    const size_t suffix = name.rfind('.'); // ".weight" or ".bias"
    if (suffix == std::string_view::npos)
        return std::string(name);
    const std::string_view module = name.substr(0, suffix);
    const size_t layerEnd = module.find('.', 4);
    const bool inBlock = module.starts_with("blk.") && layerEnd != std::string_view::npos;
    const std::string_view known
        = inBlock ? findInBlock(module.substr(layerEnd + 1), family) : find(module, { modelNames });
    if (known.empty())
        return std::string(name);
    const std::string prefix = inBlock ? "model.layers." + std::string(module.substr(4, layerEnd - 4)) + "." : "";
    return prefix + std::string(known) + std::string(name.substr(suffix));
}

} // namespace tunebench
