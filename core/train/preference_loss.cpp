#include "core/train/preference_loss.h"

#include "core/memory/memory_ledger.h"
#include "core/train/host_tensor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace tunebench {

PreferencePairs::PreferencePairs(const MicroBatch& batch, at::Device device)
{
    std::vector<int64_t> segmentOfToken;
    std::vector<double> counts(batch.segmentStarts.size() - 1, 0);
    for (size_t segment = 0; segment < counts.size(); ++segment) {
        for (auto slot = batch.segmentStarts[segment]; slot < batch.segmentStarts[segment + 1]; ++slot) {
            if (batch.targets[static_cast<size_t>(slot)] == ignoredLabel)
                continue;
            segmentOfToken.push_back(static_cast<int64_t>(segment));
            ++counts[segment];
        }
    }
    m_segmentOfToken = hostTensor<int64_t>(segmentOfToken, { std::ssize(segmentOfToken) }, device);
    m_chosen = hostTensor<int64_t>(batch.chosenSegments, { std::ssize(batch.chosenSegments) }, device);
    m_rejected = hostTensor<int64_t>(batch.rejectedSegments, { std::ssize(batch.rejectedSegments) }, device);
    m_counts = hostTensor<double>(counts, { std::ssize(counts) }, device);
}

at::Tensor PreferencePairs::logProbabilities(const at::Tensor& tokenLosses) const
{
    return at::zeros_like(m_counts).index_add_(0, m_segmentOfToken, tokenLosses.to(at::kDouble), -1);
}

PreferencePairs::Loss PreferencePairs::loss(
    const at::Tensor& model, const at::Tensor& reference, const RunConfig& config) const
{
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    const bool ipo = config.dpoLoss == DpoLoss::ipo;
    const auto ratios = model - reference;
    const auto compared = ipo ? ratios / m_counts : ratios;
    const auto difference = at::index_select(compared, 0, m_chosen) - at::index_select(compared, 0, m_rejected);
    at::Tensor losses, slope;
    if (ipo) {
        const auto distance = difference - 1 / (2 * config.dpoBeta);
        losses = distance * distance;
        slope = distance * 2;
    } else {
        losses = at::softplus(difference * -config.dpoBeta, 1, 40); // beyond 40 nothing is lost in fp64
        slope = at::sigmoid(difference * -config.dpoBeta) * -config.dpoBeta;
    }
    // A token's loss is its log-probability with the sign turned.
    auto segmentWeights = at::zeros_like(m_counts);
    segmentWeights.index_copy_(0, m_chosen, -slope);
    segmentWeights.index_copy_(0, m_rejected, slope);
    if (ipo)
        segmentWeights.div_(m_counts);

    const auto chosen = at::index_select(ratios, 0, m_chosen) * config.dpoBeta;
    const auto rejected = at::index_select(ratios, 0, m_rejected) * config.dpoBeta;
    return { at::stack({ losses.sum(), chosen.sum(), rejected.sum(), chosen.gt(rejected).to(at::kDouble).sum() }),
        at::index_select(segmentWeights, 0, m_segmentOfToken).to(at::kFloat) };
}

at::Tensor zeroSums(const RunConfig& config, at::Device device)
{
    return at::zeros(
        { config.objective == Objective::dpo ? 4 : 1 }, at::TensorOptions().dtype(at::kDouble).device(device));
}

std::optional<PreferenceMetrics> preferenceMetrics(const at::Tensor& means)
{
    if (means.numel() == 1)
        return std::nullopt;
    const double chosen = scalarValue(means[1]);
    const double rejected = scalarValue(means[2]);
    return PreferenceMetrics { chosen, rejected, chosen - rejected, scalarValue(means[3]) };
}

} // namespace tunebench
