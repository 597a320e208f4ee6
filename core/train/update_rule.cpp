#include "core/train/update_rule.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace tunebench {
namespace {

std::vector<at::Tensor> zerosLike(const std::vector<at::Tensor>& tensors)
{
    std::vector<at::Tensor> zeros;
    for (const at::Tensor& tensor : tensors)
        zeros.push_back(at::zeros_like(tensor));
    return zeros;
}

void visit(const std::vector<at::Tensor>& states, const char* name, const StateVisitor& body)
{
    for (size_t i = 0; i < states.size(); ++i)
        body(i, name, states[i]);
}

class AdamW final : public UpdateRule {
public:
    AdamW(const TrainedGroup& group, const RunConfig& config)
        : m_beta1(config.beta1)
        , m_beta2(config.beta2)
        , m_epsilon(config.epsilon)
        , m_first(zerosLike(group.values))
        , m_second(zerosLike(group.values))
    {
        for (const at::Tensor& value : group.values)
            m_steps.push_back(at::zeros({}, value.options()));
    }

    void apply(TrainedGroup& group, double learningRate, int64_t step) override
    {
        // The kernel reads the count of this step for its bias correction.
        for (const at::Tensor& steps : m_steps)
            steps.fill_(static_cast<double>(step));
        at::_fused_adamw_(group.values, group.gradients, m_first, m_second, {}, m_steps, learningRate, m_beta1, m_beta2,
            group.decay, m_epsilon, false, false);
    }

    void forEachState(const StateVisitor& body) const override
    {
        visit(m_first, "first_moment", body);
        visit(m_second, "second_moment", body);
    }

private:
    double m_beta1, m_beta2, m_epsilon;
    std::vector<at::Tensor> m_first, m_second;
    std::vector<at::Tensor> m_steps; ///< one scalar a tensor
};

class Sgd final : public UpdateRule {
public:
    Sgd(const TrainedGroup& group, double momentum)
        : m_momentum(momentum)
    {
        if (momentum > 0)
            m_buffers = zerosLike(group.values);
    }

    void apply(TrainedGroup& group, double learningRate, int64_t step) override
    {
        at::_fused_sgd_(group.values, group.gradients, m_buffers, group.decay, m_momentum, learningRate, 0, false,
            false, step == 1);
    }

    void forEachState(const StateVisitor& body) const override { visit(m_buffers, "first_moment", body); }

private:
    double m_momentum;
    std::vector<at::Tensor> m_buffers;
};

class Lion final : public UpdateRule {
public:
    Lion(const TrainedGroup& group, const RunConfig& config)
        : m_beta1(config.beta1)
        , m_beta2(config.beta2)
        , m_first(zerosLike(group.values))
    {
    }

    void apply(TrainedGroup& group, double learningRate, int64_t) override
    {
        for (size_t i = 0; i < group.values.size(); ++i) {
            const auto& gradient = group.gradients[i];
            group.values[i].mul_(1 - learningRate * group.decay);
            group.values[i].add_(at::lerp(m_first[i], gradient, 1 - m_beta1).sign_(), -learningRate);
            m_first[i].lerp_(gradient, 1 - m_beta2);
        }
    }

    void forEachState(const StateVisitor& body) const override { visit(m_first, "first_moment", body); }

private:
    double m_beta1, m_beta2;
    std::vector<at::Tensor> m_first;
};

} // namespace

std::unique_ptr<UpdateRule> makeAdamW(const TrainedGroup& group, const RunConfig& config)
{
    return std::make_unique<AdamW>(group, config);
}

std::unique_ptr<UpdateRule> makeSgd(const TrainedGroup& group, const RunConfig& config)
{
    return std::make_unique<Sgd>(group, config.momentum);
}

std::unique_ptr<UpdateRule> makeLion(const TrainedGroup& group, const RunConfig& config)
{
    return std::make_unique<Lion>(group, config);
}

} // namespace tunebench
