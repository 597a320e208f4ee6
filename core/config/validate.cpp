#include "core/config/batch_split.h"
#include "core/config/choices.h"
#include "core/config/demo.h"
#include "core/config/number_text.h"
#include "core/config/options.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

namespace fs = std::filesystem;

void checkRanges(const RunConfig& config, std::vector<Finding>& findings)
{
    RunConfig copy = config;
    for (const Option& option : options()) {
        const nlohmann::json value = optionValue(config, option.key);
        if (const auto set = setOption(copy, option.key, value); !set) {
            findings.push_back({ option.key, set.error().message });
            continue;
        }
        const bool low = option.usualLeast && value.is_number() && value.get<double>() < *option.usualLeast;
        const bool high = option.usualMost && value.is_number() && value.get<double>() > *option.usualMost;
        if (low || high) {
            findings.push_back({ option.key,
                option.key + " = " + numberText(value.get<double>()) + " is unusually " + (low ? "small" : "large")
                    + "; "
                    + (low ? "at least " + numberText(*option.usualLeast) : "at most " + numberText(*option.usualMost))
                    + " is common.",
                true });
        }
    }
}

/// The rate rises from 0 over the warm-up's steps: a run that ends within them never has its full rate.
void checkWarmup(const RunConfig& config, std::vector<Finding>& findings)
{
    if (!config.maxSteps) {
        return;
    }
    const bool byRatio = config.warmupSteps == 0;
    const double warmup = byRatio ? std::ceil(config.warmupRatio * static_cast<double>(*config.maxSteps))
                                  : static_cast<double>(config.warmupSteps);
    const std::string key = byRatio ? "warmup_ratio" : "warmup_steps";
    if (*config.maxSteps == 1 && warmup >= 1) {
        findings.push_back({ key,
            "With warm-up the only step has a learning rate of 0 and learns nothing; set warmup_steps: 0 and "
            "warmup_ratio: 0.",
            true });
    } else if (warmup >= static_cast<double>(*config.maxSteps)) {
        findings.push_back({ key,
            "The warm-up (" + key + ") is as long as max_steps, so the learning rate never reaches its full height.",
            true });
    }
}

void checkContradictions(const ConfigChoice& choice, std::vector<Finding>& findings)
{
    const RunConfig& config = choice.values;
    const auto isSet = [&](const char* key) { return choice.set.contains(key); };
    const bool smallWeights = config.precision != NumberType::automatic && config.precision != NumberType::fp32;
    if (config.method == Method::full && smallWeights && isSet("method") && isSet("precision")) {
        findings.push_back({ "precision",
            "precision " + std::string(choiceName(config.precision))
                + " does not go with method full, which holds all weights as fp32; leave precision at auto and set "
                  "compute: bf16 instead." });
    }
    if (config.objective == Objective::dpo && config.method == Method::full) {
        findings.push_back({ "objective",
            "objective dpo measures against the model without its adapter, which method full does not have; set "
            "method: lora." });
    }
    if (config.objective == Objective::dpo && config.method == Method::lora && !config.modulesToSave.empty()) {
        findings.push_back({ "modules_to_save",
            "objective dpo measures against the model as it was, of which modules_to_save keeps no copy; leave "
            "modules_to_save empty." });
    }
    if (config.objective == Objective::dpo && !config.modulesToSave.empty()) {
        findings.push_back({ "modules_to_save",
            "modules_to_save does not go with objective dpo, which measures against the model as it was; train with "
            "LoRA alone." });
    }
    if (config.objective == Objective::dpo && config.packing) {
        findings.push_back(
            { "packing", "packing does not go with objective dpo, whose rows are pairs; set packing: false." });
    }
    if (config.method == Method::full && config.adapter) {
        findings.push_back(
            { "adapter", "adapter is not used with method full; set method: lora to go on with it.", true });
    }
    if (config.scheduler == Scheduler::polynomial && config.learningRateEnd >= config.learningRate) {
        findings.push_back({ "learning_rate_end",
            "learning_rate_end must be below learning_rate (" + numberText(config.learningRate)
                + "), to which scheduler polynomial comes down." });
    }
    if (config.effectiveBatch && batchSplits(choice).empty()) {
        findings.push_back({ "effective_batch",
            "effective_batch " + std::to_string(*config.effectiveBatch)
                + " is not what batch_size and accumulation_steps give; leave out one of the three, or all but "
                  "effective_batch." });
    }
    checkWarmup(config, findings);
}

void checkExists(
    const std::string& key, const std::string& path, const std::string& remedy, std::vector<Finding>& findings)
{
    std::error_code problem;
    if (!fs::exists(path, problem)) {
        findings.push_back({ key, "There is no " + path + "; " + remedy });
    }
}

void checkFiles(const RunConfig& given, std::vector<Finding>& findings)
{
    const RunConfig config = withResolvedPaths(given);
    checkExists("model", config.model,
        config.model == demoModel() ? "fetch the demo model with packaging/setup.sh, or choose another model."
                                    : "choose a model folder or a .gguf file.",
        findings);
    if (config.adapter) {
        checkExists("adapter", *config.adapter, "choose a PEFT adapter folder.", findings);
    }
    for (const std::string& path : config.dataset) {
        checkExists("dataset", path, "choose a file of rows, or a folder of them.", findings);
    }
    for (const std::string& path : config.evalDataset) {
        checkExists("eval_dataset", path, "choose a file of rows, or a folder of them.", findings);
    }
}

} // namespace

std::vector<Finding> validate(const ConfigChoice& choice)
{
    std::vector<Finding> findings;
    checkRanges(choice.values, findings);
    checkContradictions(choice, findings);
    checkFiles(choice.values, findings);
    return findings;
}

} // namespace tunebench
