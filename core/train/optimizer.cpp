#include "core/train/optimizer.h"

#include "core/memory/memory_ledger.h"
#include "core/train/host_tensor.h"

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace tunebench {

Optimizer::Optimizer(const std::vector<Parameter*>& parameters, const RunConfig& config)
    : m_config(config)
{
    Group decaying { .decay = config.weightDecay };
    Group plain;
    for (const Parameter* parameter : parameters)
        add(parameter->value.dim() > 1 ? decaying : plain, *parameter);
    for (Group* group : { &decaying, &plain }) {
        if (!group->values.empty())
            m_groups.push_back(std::move(*group));
    }
}

void Optimizer::add(Group& group, const Parameter& parameter) const
{
    const CategoryScope scope(MemoryCategory::optimizer);
    group.names.push_back(parameter.name);
    group.values.push_back(parameter.value);
    group.gradients.push_back(parameter.gradient);
    if (m_config.optimizer == OptimizerKind::adamw) {
        group.first.push_back(at::zeros_like(parameter.value));
        group.second.push_back(at::zeros_like(parameter.value));
        group.steps.push_back(at::zeros({}, parameter.value.options()));
    } else if (m_config.optimizer == OptimizerKind::lion || m_config.momentum > 0) {
        group.first.push_back(at::zeros_like(parameter.value));
    }
}

void Optimizer::step(double learningRate)
{
    for (Group& group : m_groups) {
        switch (m_config.optimizer) {
        case OptimizerKind::adamw:
            stepAdamW(group, learningRate);
            break;
        case OptimizerKind::sgd:
            stepSgd(group, learningRate);
            break;
        case OptimizerKind::lion:
            stepLion(group, learningRate);
            break;
        }
    }
    ++m_stepsDone;
}

void Optimizer::stepAdamW(Group& group, double learningRate) const
{
    // The kernel reads the count of this step for its bias correction.
    for (const at::Tensor& steps : group.steps)
        steps.add_(1);
    at::_fused_adamw_(group.values, group.gradients, group.first, group.second, {}, group.steps, learningRate,
        m_config.beta1, m_config.beta2, group.decay, m_config.epsilon, false, false);
}

void Optimizer::stepSgd(Group& group, double learningRate) const
{
    at::_fused_sgd_(group.values, group.gradients, group.first, group.decay, m_config.momentum, learningRate, 0, false,
        false, m_stepsDone == 0);
}

void Optimizer::stepLion(Group& group, double learningRate) const
{
    for (size_t i = 0; i < group.values.size(); ++i) {
        const auto& gradient = group.gradients[i];
        const auto direction = at::lerp(group.first[i], gradient, 1 - m_config.beta1).sign_();
        group.values[i].mul_(1 - learningRate * group.decay).add_(direction, -learningRate);
        group.first[i].lerp_(gradient, 1 - m_config.beta2);
    }
}

void Optimizer::clearGradients()
{
    for (const Group& group : m_groups)
        at::_foreach_zero_(group.gradients);
}

double Optimizer::gradientNorm() const
{
    std::vector<at::Tensor> norms;
    for (const Group& group : m_groups) {
        auto some = at::_foreach_norm(group.gradients, 2);
        norms.insert(norms.end(), some.begin(), some.end());
    }
    return scalarValue(at::linalg_vector_norm(at::stack(norms).to(at::kDouble)));
}

void Optimizer::scaleGradients(double factor)
{
    for (const Group& group : m_groups)
        at::_foreach_mul_(group.gradients, factor);
}

void Optimizer::forEachState(const std::function<void(const std::string& name, const at::Tensor&)>& body) const
{
    for (const Group& group : m_groups) {
        for (size_t i = 0; i < group.names.size(); ++i) {
            body(group.names[i], group.values[i]);
            if (i < group.first.size())
                body(group.names[i] + ".first_moment", group.first[i]);
            if (i < group.second.size())
                body(group.names[i] + ".second_moment", group.second[i]);
        }
    }
}

void Optimizer::setStepsDone(int64_t steps)
{
    m_stepsDone = steps;
    for (const Group& group : m_groups) {
        for (const at::Tensor& count : group.steps)
            count.fill_(static_cast<double>(steps));
    }
}

} // namespace tunebench
