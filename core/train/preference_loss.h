#pragma once

#include "core/config/run_config.h"
#include "core/data/micro_batches.h"
#include "core/runs/metrics.h"

#include <ATen/core/Tensor.h>

namespace tunebench {

/// What preference pairs add to a pass, all on the device: the mean of the log-probabilities' differences is what DPO
/// (Rafailov et al., 2023) and IPO (Azar et al., 2023) learn from. As TRL 1.16 (DPOTrainer): sigmoid by the sums over
/// an answer's tokens, ipo by their means; rewards are beta x (log-probability - that of the reference), by the sums.
class PreferencePairs {
public:
    PreferencePairs(const MicroBatch& batch, at::Device device);

    /// Sums over each row's supervised tokens, from token losses [supervised]: [segments], fp64.
    at::Tensor logProbabilities(const at::Tensor& tokenLosses) const;

    struct Loss {
        /// Over the pairs: of the losses, the chosen answers' rewards, the rejected ones', and of 1 where the former is
        /// the higher one. [4], fp64.
        at::Tensor sums;
        at::Tensor tokenWeights; ///< the loss' derivative by each token loss: [supervised], fp32
    };
    /// From the log-probabilities [segments] of the model and of the reference.
    Loss loss(const at::Tensor& model, const at::Tensor& reference, const RunConfig& config) const;

private:
    at::Tensor m_segmentOfToken; ///< [supervised]
    at::Tensor m_chosen, m_rejected; ///< segments, [pairs]
    at::Tensor m_counts; ///< supervised tokens, [segments], fp64
};

/// Where sums of passes are gathered: zeros, [1], or [4] for preference pairs; fp64.
at::Tensor zeroSums(const RunConfig& config, at::Device device);

/// From means over pairs in the order of PreferencePairs::Loss::sums; nothing where there are no pairs.
std::optional<PreferenceMetrics> preferenceMetrics(const at::Tensor& means);

} // namespace tunebench
