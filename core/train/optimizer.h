#pragma once

#include "core/config/run_config.h"
#include "core/ops/parameter.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tunebench {

/// AdamW (Loshchilov and Hutter, 2019) or SGD with momentum over fp32 tensors, with torch.optim's arithmetic, or Lion
/// (Chen et al., 2023). Matrices decay by `weight_decay`; norms and biases do not. State is made at once, so that the
/// first step needs no more memory than the others.
class Optimizer {
public:
    Optimizer(const std::vector<Parameter*>& parameters, const RunConfig& config);

    /// One step with the gradients as they stand.
    void step(double learningRate);

    /// Gradients become zero for the next accumulation group.
    void clearGradients();

    /// Euclidean norm over all gradients, fp64; 0 on the meta device.
    double gradientNorm() const;
    void scaleGradients(double factor);

    /// Every trained tensor and the optimizer's own for it, by names that do not change from run to run.
    void forEachState(const std::function<void(const std::string& name, const at::Tensor&)>& body) const;

    /// Steps that the state stands after.
    int64_t stepsDone() const { return m_stepsDone; }
    void setStepsDone(int64_t steps);

private:
    /// Tensors with the same decay, as ATen's fused kernels take them.
    struct Group {
        double decay = 0;
        std::vector<std::string> names;
        std::vector<at::Tensor> values, gradients;
        std::vector<at::Tensor> first, second; ///< AdamW: both moments; SGD and Lion: first is the momentum buffer
        std::vector<at::Tensor> steps; ///< AdamW: steps done, one scalar a tensor
    };
    void add(Group& group, const Parameter& parameter) const;
    void stepAdamW(Group& group, double learningRate) const;
    void stepSgd(Group& group, double learningRate) const;
    void stepLion(Group& group, double learningRate) const;

    RunConfig m_config;
    std::vector<Group> m_groups;
    int64_t m_stepsDone = 0;
};

} // namespace tunebench
