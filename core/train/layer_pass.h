#pragma once

#include "core/model/decoder.h"
#include "core/ops/attention.h"
#include "core/ops/rope.h"

namespace tunebench {

/// What all layers of a pass share.
struct PassContext {
    const ModelSpec& spec;
    std::vector<RopeAngles> angles; ///< of each of the decoder's ropes
    std::vector<int64_t> segments;
    KeyValueCache* cache = nullptr; ///< of the layer that goes on with a sequence, whose tokens are then no segments
};

/// What a layer keeps for its backward pass. Norms and the gated activation are made again from these.
struct LayerActivations {
    at::Tensor input; ///< [tokens, hidden]
    at::Tensor inputScale; ///< of the norm, [tokens, 1]
    at::Tensor query, key,
        value; ///< [tokens, heads, head size]; q and k rotated, or as projected where they are normalised
    at::Tensor attended; ///< [tokens, heads * head size]; only when the output projection is trained
    at::Tensor attentionOutput; ///< [tokens, hidden]; only when it is normalised
    at::Tensor middle; ///< input plus attention, [tokens, hidden]
    at::Tensor middleScale; ///< [tokens, 1]
    at::Tensor gate, up; ///< [tokens, intermediate]
    at::Tensor mlpOutput; ///< [tokens, hidden]; only when it is normalised
};

/// One layer forward: x [tokens, hidden] -> [tokens, hidden]. With `kept` its activations are stored there.
at::Tensor layerForward(
    const DecoderLayer& layer, const PassContext& context, const at::Tensor& x, LayerActivations* kept);

/// Makes gate and up again from what is kept, where they were given up to save memory.
void recomputeGateUp(const DecoderLayer& layer, const PassContext& context, LayerActivations& kept);

/// One layer backward: adds to the gradients of what is trained and returns the gradient of the layer's input, or an
/// undefined tensor when `inputGradientWanted` is false. Activations are given up as soon as they have been used.
at::Tensor layerBackward(const DecoderLayer& layer, const PassContext& context, LayerActivations kept,
    at::Tensor outputGradient, bool inputGradientWanted);

} // namespace tunebench
