#include "ui/plan/single_changes.h"

#include "core/config/choices.h"

#include <algorithm>

namespace tunebench {

namespace {

class Changes {
public:
    explicit Changes(const RunConfig& now)
        : m_now(now)
    {
    }

    template <class Choice> void others(const std::string& key, Choice own, std::initializer_list<Choice> choices)
    {
        for (const Choice choice : choices) {
            if (choice != own) {
                m_list.push_back({ { key, std::string(choiceName(choice)) } });
            }
        }
    }

    /// Half and double, within the bounds.
    void neighbours(const std::string& key, int64_t own, int64_t least, int64_t most)
    {
        for (const int64_t value : { own / 2, own * 2 }) {
            if (value >= least && value <= most) {
                m_list.push_back({ { key, std::to_string(value) } });
            }
        }
    }

    /// As many rows an update.
    void batches()
    {
        const int64_t effective = m_now.rowsPerStep();
        for (const int64_t rows : { m_now.batchSize / 2, m_now.batchSize * 2 }) {
            if (rows > 0 && effective % rows == 0) {
                m_list.push_back({ { "batch_size", std::to_string(rows) },
                    { "accumulation_steps", std::to_string(effective / rows) } });
            }
        }
    }

    std::vector<OptionChanges> take() { return std::move(m_list); }

private:
    const RunConfig& m_now;
    std::vector<OptionChanges> m_list;
};

} // namespace

std::vector<OptionChanges> singleChanges(const RunConfig& now, int64_t longest)
{
    constexpr int64_t shortest = 64; // tokens
    constexpr int64_t largestRank = 256;
    Changes changes(now);
    changes.others("gradient_checkpointing", now.gradientCheckpointing,
        { GradientCheckpointing::off, GradientCheckpointing::selective, GradientCheckpointing::full,
            GradientCheckpointing::offload });
    changes.batches();
    changes.neighbours("max_length", std::min(now.maxLength, longest), shortest, longest);
    if (now.method == Method::lora) {
        changes.others(
            "precision", now.precision, { NumberType::fp32, NumberType::bf16, NumberType::fp16, NumberType::nf4 });
        changes.neighbours("lora_rank", now.loraRank, 1, largestRank);
    }
    changes.others("compute", now.compute, { NumberType::fp32, NumberType::bf16, NumberType::fp16 });
    changes.others("method", now.method, { Method::lora, Method::full });
    changes.others("optimizer", now.optimizer,
        { OptimizerKind::adamw, OptimizerKind::adamw8bit, OptimizerKind::sgd, OptimizerKind::lion,
            OptimizerKind::adafactor });
    return changes.take();
}

} // namespace tunebench
