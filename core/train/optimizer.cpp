#include "core/train/optimizer.h"

#include "core/memory/memory_ledger.h"
#include "core/train/host_tensor.h"

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <algorithm>

namespace tunebench {
namespace {

OptimizerKind kindFor(const Parameter& parameter, OptimizerKind chosen)
{
    const bool small = parameter.value.numel() < fewestValuesFor8bit;
    return chosen == OptimizerKind::adamw8bit && small ? OptimizerKind::adamw : chosen;
}

std::unique_ptr<UpdateRule> makeRule(const TrainedGroup& group, const RunConfig& config)
{
    const CategoryScope scope(MemoryCategory::optimizer);
    switch (group.kind) {
    case OptimizerKind::adamw:
        return makeAdamW(group, config);
    case OptimizerKind::adamw8bit:
        return makeAdamW8bit(group, config);
    case OptimizerKind::sgd:
        return makeSgd(group, config);
    case OptimizerKind::lion:
        return makeLion(group, config);
    case OptimizerKind::adafactor:
        return makeAdafactor(group);
    }
    return nullptr;
}

} // namespace

Optimizer::Optimizer(const std::vector<Parameter*>& parameters, const RunConfig& config)
{
    for (const Parameter* parameter : parameters) {
        const double decay = parameter->value.dim() > 1 ? config.weightDecay : 0;
        TrainedGroup& group = groupFor(kindFor(*parameter, config.optimizer), decay);
        group.names.push_back(parameter->name);
        group.values.push_back(parameter->value);
        group.gradients.push_back(parameter->gradient);
    }
    for (const TrainedGroup& group : m_groups)
        m_rules.push_back(makeRule(group, config));
}

TrainedGroup& Optimizer::groupFor(OptimizerKind kind, double decay)
{
    const auto found = std::ranges::find_if(
        m_groups, [&](const TrainedGroup& group) { return group.kind == kind && group.decay == decay; });
    return found != m_groups.end() ? *found : m_groups.emplace_back(TrainedGroup { .kind = kind, .decay = decay });
}

void Optimizer::step(double learningRate)
{
    m_whole = false;
    ++m_stepsDone;
    for (size_t i = 0; i < m_groups.size(); ++i)
        m_rules[i]->apply(m_groups[i], learningRate, m_stepsDone);
    m_whole = true;
}

void Optimizer::clearGradients()
{
    for (const TrainedGroup& group : m_groups)
        at::_foreach_zero_(group.gradients);
}

double Optimizer::gradientNorm() const
{
    std::vector<at::Tensor> norms;
    for (const TrainedGroup& group : m_groups) {
        auto some = at::_foreach_norm(group.gradients, 2);
        norms.insert(norms.end(), some.begin(), some.end());
    }
    return scalarValue(at::linalg_vector_norm(at::stack(norms).to(at::kDouble)));
}

void Optimizer::scaleGradients(double factor)
{
    for (const TrainedGroup& group : m_groups)
        at::_foreach_mul_(group.gradients, factor);
}

void Optimizer::forEachState(const std::function<void(const std::string& name, const at::Tensor&)>& body) const
{
    for (size_t i = 0; i < m_groups.size(); ++i) {
        const TrainedGroup& group = m_groups[i];
        for (size_t tensor = 0; tensor < group.names.size(); ++tensor)
            body(group.names[tensor], group.values[tensor]);
        m_rules[i]->forEachState([&](size_t tensor, const char* name, const at::Tensor& state) {
            body(group.names[tensor] + "." + name, state);
        });
    }
}

} // namespace tunebench
