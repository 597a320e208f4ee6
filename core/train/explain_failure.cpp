#include "core/train/explain_failure.h"

#include "core/config/choices.h"
#include "core/config/number_text.h"

#include <c10/util/Exception.h>
#include <vector>

namespace tunebench {
namespace {

std::string joined(const std::vector<std::string>& remedies)
{
    std::string text;
    for (size_t i = 0; i < remedies.size(); ++i)
        text += (i == 0 ? "" : i + 1 == remedies.size() ? ", or " : ", ") + remedies[i];
    return text;
}

} // namespace

std::string explainException(const std::exception& error)
{
    if (const auto* torch = dynamic_cast<const c10::Error*>(&error))
        return std::string("LibTorch failed: ") + torch->what_without_backtrace();
    return std::string("Training failed: ") + error.what();
}

std::string explainNotFinite(const StepMetrics& metrics, const RunConfig& config, const std::string& where)
{
    std::string text = "The gradient of step " + std::to_string(metrics.step)
        + " is not finite, so training stopped before it could spoil the weights.";
    if (!where.empty())
        text += " The first numbers that are not finite: " + where + ".";
    std::vector<std::string> remedies;
    if (where.starts_with("the weight "))
        return text + " The model's files are damaged, or too large for precision "
            + std::string(choiceName(config.precision)) + "; try precision fp32, or another copy of the model.";
    if (config.compute == NumberType::fp16)
        remedies.emplace_back("compute bf16 or fp32, which overflow far later");
    remedies.push_back("a learning_rate below " + numberText(config.learningRate));
    if (config.warmupSteps == 0 && config.warmupRatio == 0)
        remedies.emplace_back("warmup_ratio 0.03");
    if (config.maxGradNorm == 0)
        remedies.emplace_back("max_grad_norm 1");
    return text + " Try " + joined(remedies) + ".";
}

} // namespace tunebench
