#include "core/train/update_rule.h"

#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros.h>
#include <cmath>

namespace tunebench {
namespace {

constexpr double decayExponent = -0.8;
constexpr double squareFloor = 1e-30;
constexpr double largestRootMeanSquare = 1.0;

class Adafactor final : public UpdateRule {
public:
    explicit Adafactor(const TrainedGroup& group)
    {
        for (const at::Tensor& value : group.values) {
            const auto rows = value.sizes().slice(0, value.dim() > 1 ? 1 : value.dim());
            m_states.push_back({ at::zeros(rows, value.options()),
                value.dim() > 1 ? at::zeros(value.sizes().slice(1), value.options()) : at::Tensor() });
        }
    }

    void apply(TrainedGroup& group, double learningRate, int64_t step) override
    {
        const double fresh = std::pow(static_cast<double>(step), decayExponent); // 1 - beta2 of this step
        for (size_t i = 0; i < m_states.size(); ++i) {
            group.values[i].mul_(1 - group.decay * learningRate);
            const auto update = m_states[i].columns.defined() ? factored(m_states[i], group.gradients[i], fresh)
                                                              : plain(m_states[i], group.gradients[i], fresh);
            const double count = static_cast<double>(update.numel());
            const auto rootMeanSquare = at::linalg_vector_norm(update).div_(std::sqrt(count));
            update.div_(rootMeanSquare.div_(largestRootMeanSquare).clamp_min_(1.0));
            group.values[i].sub_(update, learningRate);
        }
    }

    void forEachState(const StateVisitor& body) const override
    {
        for (size_t i = 0; i < m_states.size(); ++i) {
            const auto& [rows, columns] = m_states[i];
            body(i, columns.defined() ? "second_moment_rows" : "second_moment", rows);
            if (columns.defined())
                body(i, "second_moment_columns", columns);
        }
    }

private:
    /// Means of the squared gradient, over columns and over rows; of a vector, the square itself.
    struct State {
        at::Tensor rows;
        at::Tensor columns;
    };

    static at::Tensor squared(const at::Tensor& gradient) { return at::mul(gradient, gradient).add_(squareFloor); }

    static void moveTowards(const at::Tensor& average, const at::Tensor& value, double fresh)
    {
        average.mul_(1 - fresh).add_(value, fresh);
    }

    static at::Tensor factored(const State& state, const at::Tensor& gradient, double fresh)
    {
        auto update = squared(gradient);
        moveTowards(state.rows, at::mean(update, -1), fresh);
        moveTowards(state.columns, at::mean(update, -2), fresh);
        const auto rows = at::div(state.rows, state.rows.mean(-1, true)).rsqrt_().unsqueeze(-1);
        const auto columns = at::rsqrt(state.columns).unsqueeze(-2);
        at::mul_out(update, rows, columns);
        return update.mul_(gradient);
    }

    static at::Tensor plain(const State& state, const at::Tensor& gradient, double fresh)
    {
        moveTowards(state.rows, squared(gradient), fresh);
        return at::rsqrt(state.rows).mul_(gradient);
    }

    std::vector<State> m_states;
};

} // namespace

std::unique_ptr<UpdateRule> makeAdafactor(const TrainedGroup& group)
{
    return std::make_unique<Adafactor>(group);
}

} // namespace tunebench
