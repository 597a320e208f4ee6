#pragma once

#include "core/config/run_config.h"

#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tunebench {

/// Trained tensors with the same decay and rule, as ATen's fused kernels take them.
struct TrainedGroup {
    OptimizerKind kind = OptimizerKind::adamw;
    double decay = 0;
    std::vector<std::string> names;
    std::vector<at::Tensor> values, gradients; ///< fp32
};

/// Sees one of the tensors that a rule keeps: the index of its tensor in the group, and a name of its own for it.
using StateVisitor = std::function<void(size_t index, const char* name, const at::Tensor& state)>;

/// How an optimizer changes the tensors of a group, and what it keeps for that. What it keeps is made at once, so that
/// the first step needs no more memory than the others.
class UpdateRule {
public:
    virtual ~UpdateRule() = default;

    /// One step; `step` counts from 1.
    virtual void apply(TrainedGroup& group, double learningRate, int64_t step) = 0;

    virtual void forEachState(const StateVisitor& body) const = 0;

protected:
    UpdateRule() = default;
    UpdateRule(const UpdateRule&) = default;
    UpdateRule& operator=(const UpdateRule&) = default;
};

/// AdamW (Loshchilov and Hutter, 2019) with torch.optim's arithmetic.
std::unique_ptr<UpdateRule> makeAdamW(const TrainedGroup& group, const RunConfig& config);

/// SGD with momentum, with torch.optim's arithmetic.
std::unique_ptr<UpdateRule> makeSgd(const TrainedGroup& group, const RunConfig& config);

/// Lion (Chen et al., 2023).
std::unique_ptr<UpdateRule> makeLion(const TrainedGroup& group, const RunConfig& config);

/// Adafactor (Shazeer and Stern, 2018) as transformers' Trainer uses it: the learning rate as it is given, no first
/// moment, decay rate 1 - step^-0.8, updates clipped to a root mean square of 1. Of a matrix only the means of rows and
/// columns of the squared gradient are kept.
std::unique_ptr<UpdateRule> makeAdafactor(const TrainedGroup& group);

/// AdamW with moments of 8 bits (Dettmers et al., 2022), as bitsandbytes' CPU code computes it: blocks of 256 values
/// with a scale each, numbered by the nearest value of a dynamic map.
std::unique_ptr<UpdateRule> makeAdamW8bit(const TrainedGroup& group, const RunConfig& config);

/// Tensors with fewer values than this keep fp32 moments under adamw_8bit, as in bitsandbytes.
inline constexpr int64_t fewestValuesFor8bit = 4096;

} // namespace tunebench
