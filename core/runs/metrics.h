#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

namespace tunebench {

/// How a model takes preference pairs; means over pairs. A reward is dpo_beta x (log-probability of the answer - that
/// by the reference).
struct PreferenceMetrics {
    double rewardsChosen = 0, rewardsRejected = 0;
    double margin = 0; ///< of the two
    double accuracy = 0; ///< share of pairs whose chosen answer has the higher reward
};

/// One optimizer step, as a line of metrics.jsonl has it. Times in seconds, memory in bytes; what is not known is
/// absent (null in the file).
struct StepMetrics {
    int64_t step = 0; ///< from 1
    double epoch = 0; ///< epochs done after this step
    std::optional<double> loss; ///< absent when it was not finite; `note` says so
    std::optional<double> gradNorm; ///< before clipping
    double learningRate = 0; ///< used for this step
    int64_t supervisedTokens = 0;
    int64_t tokens = 0;
    int64_t paddedTokens = 0; ///< slots processed
    double seconds = 0;
    double dataSeconds = 0;
    double forwardSeconds = 0;
    double backwardSeconds = 0; ///< recompute in it
    double recomputeSeconds = 0;
    double optimizerSeconds = 0;
    double courtesySeconds = 0; ///< pauses that the option courtesy makes
    double tokensPerSecond = 0;
    int64_t allocated = 0;
    int64_t peakAllocated = 0;
    std::optional<int64_t> reserved;
    std::optional<int64_t> deviceUsed; ///< all processes
    std::optional<int64_t> deviceShared; ///< memory of the computer that stands in for the device's, where it tells
    std::optional<int64_t> process; ///< resident memory of this process, on the CPU; of it on the device, on CUDA
    std::optional<int64_t> peakProcess; ///< the same at its highest since the run began to load; on CUDA not known
    std::optional<double> cpuUtilization; ///< of all cores, 0 to 1
    std::optional<double> deviceUtilization; ///< 0 to 1
    std::optional<double> powerWatts;
    std::optional<double> temperature; ///< degrees Celsius
    std::optional<double> clockMhz;
    std::optional<double> lossScale; ///< fp16 products only
    std::optional<double> rewardsChosen, rewardsRejected, margin, accuracy; ///< objective dpo only: PreferenceMetrics
    std::string note;
};

/// One evaluation; step 0 is the model before training.
struct EvalMetrics {
    int64_t step = 0;
    std::optional<double> loss;
    int64_t tokens = 0; ///< supervised
    std::optional<double> perplexity; ///< e to the loss
    std::optional<double> trainingLoss; ///< mean of the logged steps since the evaluation before; absent at step 0
    std::optional<double> gap; ///< loss minus trainingLoss
    std::optional<double> rewardsChosen, rewardsRejected, margin, accuracy; ///< objective dpo only: PreferenceMetrics
    double seconds = 0;
    std::string note;
};

/// What the model of one evaluation says to a prompt (eval_prompts).
struct AnswerMetrics {
    int64_t step = 0;
    std::string prompt {};
    std::string text {};
    int64_t tokens = 0; ///< of the answer, without the one that ended it
    double seconds = 0;
    std::string note {}; ///< that the answer was cut; empty where the model ended it
};

using Metrics = std::variant<StepMetrics, EvalMetrics, AnswerMetrics>;

/// Writes the means into a step or an evaluation.
template <class Record> void setPreference(Record& record, const std::optional<PreferenceMetrics>& preference)
{
    if (!preference)
        return;
    record.rewardsChosen = preference->rewardsChosen;
    record.rewardsRejected = preference->rewardsRejected;
    record.margin = preference->margin;
    record.accuracy = preference->accuracy;
}

nlohmann::ordered_json metricsToJson(const Metrics& metrics);
/// Reads a line; nothing for a torn or foreign line.
std::optional<Metrics> metricsFromJson(std::string_view line);

} // namespace tunebench
