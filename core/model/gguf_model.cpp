#include "core/model/gguf_model.h"

#include "core/model/gguf_names.h"
#include "core/model/gguf_rope.h"
#include "core/model/model_family.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

void readSizes(ModelSpec& spec, GgufKeys& keys, const GgufFile& file)
{
    spec.hiddenSize = keys.integer("embedding_length");
    spec.layers = keys.integer("block_count");
    spec.heads = keys.integer("attention.head_count");
    spec.keyValueHeads = keys.integer("attention.head_count_kv", spec.heads);
    spec.headSize = keys.integer("attention.key_length", spec.heads > 0 ? spec.hiddenSize / spec.heads : 0);
    spec.intermediateSize = keys.integer("feed_forward_length");
    spec.contextLength = keys.integer("context_length");
    spec.normEpsilon = keys.number("attention.layer_norm_rms_epsilon");
    if (const TensorInfo* embedding = file.findTensor("token_embd.weight"); embedding && !embedding->shape.empty())
        spec.vocabularySize = embedding->shape.front();
    if (keys.integer("attention.value_length", spec.headSize) != spec.headSize)
        keys.refuse("attention.value_length", "that differs from its key length, which is not known");
    if (keys.integer("expert_count", 0) != 0)
        keys.refuse("expert_count", "above 0: mixtures of experts are not known");
}

/// Soft caps and the scale of the scores, which files tell by the number of layers alone (llama.cpp, src/models).
void readAttentionNumbers(ModelSpec& spec, GgufKeys& keys, const ModelFamily& family)
{
    if (family.attentionSoftcapOption)
        spec.attentionSoftcap = keys.number("attn_logit_softcapping", family.defaultAttentionSoftcap);
    if (family.finalSoftcapOption)
        spec.finalSoftcap = keys.number("final_logit_softcapping", family.defaultFinalSoftcap);
    const bool scaledByWidth = family.layersScaledByWidth > 0 && spec.layers == family.layersScaledByWidth;
    if (scaledByWidth && spec.heads > 0)
        spec.queryScalar = static_cast<double>(spec.hiddenSize) / static_cast<double>(spec.heads);
    if (spec.queryScalar == static_cast<double>(spec.headSize))
        spec.queryScalar = 0; // as in the other families
}

void readWindow(ModelSpec& spec, GgufKeys& keys, const ModelFamily& family)
{
    using SlidingWindow = ModelFamily::SlidingWindow;
    const bool patterned = family.slidingWindow == SlidingWindow::byPattern;
    if (family.slidingWindow == SlidingWindow::never)
        return;
    const int64_t window = keys.integer("attention.sliding_window", patterned ? family.defaultWindow : 0);
    if (window <= 0 || spec.layers <= 0 || spec.layers > mostLayers)
        return;
    std::vector<bool> sliding;
    if (const auto* listed = patterned ? keys.integers("attention.sliding_window_pattern") : nullptr) {
        std::ranges::transform(*listed, std::back_inserter(sliding), [](int64_t slides) { return slides != 0; });
    } else {
        const int64_t every = patterned ? keys.integer("attention.sliding_window_pattern", family.fullEvery) : 0;
        for (int64_t i = 0; i < spec.layers; ++i)
            sliding.push_back(every <= 0 || (i + 1) % every != 0);
    }
    if (std::ranges::find(sliding, true) == sliding.end())
        return;
    spec.slidingWindow = window;
    spec.slidingLayers = sliding;
}

} // namespace

Result<ModelSpec> modelSpecFromGguf(const GgufFile& file)
{
    const std::string where = file.path().string();
    const std::string architecture = file.text("general.architecture").value_or("");
    const ModelFamily* family = familyByArchitecture(architecture);
    if (family && family->name == "llama" && file.integer("llama.attention.sliding_window").value_or(0) > 0)
        family = familyByName("mistral");
    if (!family)
        return failure(where + " has the architecture \"" + architecture + "\"; known are " + knownFamilies() + ".");
    ModelSpec spec;
    applyFamily(spec, *family);
    GgufKeys keys(file, architecture);
    readSizes(spec, keys, file);
    readAttentionNumbers(spec, keys, *family);
    readWindow(spec, keys, *family);
    readGgufRopes(spec, keys, *family);
    if (!keys.problem().empty())
        return failure(keys.problem());
    if (spec.vocabularySize == 0)
        return failure(where + " has no token_embd.weight, so it is no whole model.");
    spec.paddingToken = file.integer("tokenizer.ggml.padding_token_id").value_or(family->defaultPadding);
    spec.tiedEmbeddings = !file.findTensor("output.weight");
    if (family->attentionBiasOption)
        spec.queryKeyValueBias = file.findTensor("blk.0.attn_q.bias");
    spec.outputBias = family->attentionBiasOption && file.findTensor("blk.0.attn_output.bias");
    spec.mlpBias = family->mlpBiasOption && file.findTensor("blk.0.ffn_up.bias");
    if (auto checked = checkModelSpec(spec, where); !checked)
        return tl::unexpected(checked.error());
    if (auto read = readGgufRopeTensors(spec, file, keys, *family); !read)
        return tl::unexpected(read.error());
    return spec;
}

Result<std::unique_ptr<StoredWeights>> openGgufWeights(std::shared_ptr<const GgufFile> file, const ModelSpec& spec)
{
    const ModelFamily* family = familyByName(spec.family);
    std::map<std::string, StoredTensor> found;
    for (size_t i = 0; i < file->tensors().size(); ++i) {
        StoredTensor tensor { file->tensors()[i], file->bytes(i) };
        if (isRopeTensor(tensor.info.name))
            continue;
        const std::string name = transformersName(tensor.info.name, *family);
        const bool rotated = name.find(".q_proj.") != std::string::npos || name.find(".k_proj.") != std::string::npos;
        if (rotated && family->interleavedInGguf)
            tensor.interleavedHeadSize = spec.headSize;
        if (family->normAddsOne && name.ends_with("norm.weight"))
            tensor.added = -1; // llama.cpp's converter stores what is multiplied by
        found.emplace(name, std::move(tensor));
    }
    const std::string where = file->path().string();
    return StoredWeights::bind(spec, std::move(found), std::move(file), where);
}

} // namespace tunebench
