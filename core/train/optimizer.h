#pragma once

#include "core/ops/parameter.h"
#include "core/train/update_rule.h"

#include <cstdint>

namespace tunebench {

/// The optimizer of a run over fp32 tensors. Matrices decay by `weight_decay`; norms and biases do not.
class Optimizer {
public:
    Optimizer(const std::vector<Parameter*>& parameters, const RunConfig& config);

    /// One step with the gradients as they stand.
    void step(double learningRate);
    /// False after a step that an exception ended: some tensors have changed, others not.
    bool whole() const { return m_whole; }

    /// Gradients become zero for the next accumulation group.
    void clearGradients();

    /// Euclidean norm over all gradients, fp64; 0 on the meta device.
    double gradientNorm() const;
    void scaleGradients(double factor);

    /// Every trained tensor and the optimizer's own for it (fp32, or uint8), by names that do not change from run to
    /// run.
    void forEachState(const std::function<void(const std::string& name, const at::Tensor&)>& body) const;

    /// Steps that the state stands after.
    int64_t stepsDone() const { return m_stepsDone; }
    void setStepsDone(int64_t steps) { m_stepsDone = steps; }

private:
    TrainedGroup& groupFor(OptimizerKind kind, double decay);

    std::vector<TrainedGroup> m_groups;
    std::vector<std::unique_ptr<UpdateRule>> m_rules; ///< one a group
    int64_t m_stepsDone = 0;
    bool m_whole = true;
};

} // namespace tunebench
