#include "core/train/find_not_finite.h"

#include <ATen/ops/isfinite.h>
#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

bool isFinite(const at::Tensor& tensor)
{
    return at::isfinite(tensor).all().item<bool>();
}

/// Of a matrix in 4 bits the scales tell.
bool isFinite(const Parameter& parameter)
{
    return parameter.packed ? std::isfinite(parameter.packed->meanScale) && isFinite(parameter.packed->groupScales)
                            : isFinite(parameter.value);
}

std::string inWeights(Decoder& decoder)
{
    std::string found;
    const auto look = [&](const Parameter& parameter) {
        if (found.empty() && !isFinite(parameter))
            found = "the weight " + parameter.name;
    };
    decoder.forEachBaseParameter(look);
    for (const Parameter* parameter : decoder.trainedParameters())
        look(*parameter);
    return found;
}

/// The backward pass goes from the last tensor to the first.
std::string inGradients(Decoder& decoder)
{
    const auto trained = decoder.trainedParameters();
    const auto found = std::find_if(
        trained.rbegin(), trained.rend(), [](const Parameter* parameter) { return !isFinite(parameter->gradient); });
    return found == trained.rend() ? std::string() : "the gradient of " + (*found)->name;
}

} // namespace

std::string findNotFinite(Trainee& trainee, const RunConfig& config, std::span<const MicroBatch> group)
{
    if (auto found = inWeights(trainee.decoder); !found.empty())
        return found;
    for (size_t i = 0; i < group.size(); ++i) {
        std::string found;
        watchedPass(trainee.decoder, group[i], config, [&](const std::string& what, const at::Tensor& tensor) {
            if (found.empty() && !isFinite(tensor))
                found = what;
        });
        if (!found.empty())
            return found + " of micro-batch " + std::to_string(i + 1);
    }
    return inGradients(trainee.decoder);
}

} // namespace tunebench
