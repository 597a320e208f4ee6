#include "core/train/explain_failure.h"

#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/config/number_text.h"

#include <c10/util/Exception.h>
#include <new>
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

/// What lowers the peak, the cheapest first.
std::string memoryRemedies(const RunConfig& config, bool training)
{
    std::vector<std::string> remedies;
    if (training && config.batchSize > 1)
        remedies.push_back("batch_size " + std::to_string(config.batchSize / 2) + " with accumulation_steps "
            + std::to_string(config.accumulationSteps * 2) + " (the same result)");
    if (training && config.gradientCheckpointing == GradientCheckpointing::off)
        remedies.emplace_back("gradient_checkpointing full");
    if (config.method == Method::full)
        remedies.emplace_back("method lora");
    else if (config.precision == NumberType::fp32)
        remedies.emplace_back("precision bf16 or fp16");
    if (training)
        remedies.emplace_back("a smaller max_length");
    if (limitBytes(config) > 0)
        remedies.emplace_back(config.card ? "a larger card" : "a higher memory_limit");
    remedies.emplace_back("a smaller model");
    return joined(remedies);
}

std::string outOfMemory(std::string detail, const RunConfig& config, bool training)
{
    if (detail.empty() || detail.back() != '.')
        detail += '.';
    return detail + " This happened "
        + (training ? "in training; the weights are untouched" : "while loading the model") + ". Try "
        + memoryRemedies(config, training) + ".";
}

} // namespace

std::string explainException(const std::exception& error, const RunConfig& config, bool training)
{
    if (const auto* memory = dynamic_cast<const c10::OutOfMemoryError*>(&error)) {
        const std::string text = memory->msg();
        return outOfMemory(text.substr(0, text.find('\n')), config, training);
    }
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return outOfMemory("Out of memory: the system has none left.", config, training);
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
