#include "core/train/run_inputs.h"

#include "core/config/cards.h"
#include "core/memory/automatic_types.h"
#include "core/memory/device.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/model/lora_targets.h"
#include "core/train/effective_batch.h"
#include "core/train/plan_memory.h"

#include <torch/version.h>

namespace tunebench {
namespace {

/// An option that was set must say what the adapter says; one that was not takes it over.
template <class T>
Result<void> takeOver(const ConfigChoice& choice, const std::string& key, T& value, const T& fromAdapter)
{
    if (choice.set.contains(key) && value != fromAdapter)
        return failure(key + ": the adapter was made with another value; leave " + key
            + " out to go on training it, or leave " + "adapter out to start a fresh one.");
    value = fromAdapter;
    return {};
}

Result<std::optional<PeftAdapter>> openAdapter(const ConfigChoice& choice, RunConfig& config, const ModelSpec& spec,
    const Notice& notice, const std::string& modelName)
{
    if (!config.adapter || config.method == Method::full)
        return std::nullopt;
    auto adapter = openPeftAdapter(*config.adapter);
    if (!adapter)
        return tl::unexpected(adapter.error());
    if (auto checked = checkPeftAdapter(*adapter, spec); !checked)
        return tl::unexpected(checked.error());
    for (auto taken : { takeOver(choice, "lora_rank", config.loraRank, adapter->rank),
             takeOver(choice, "lora_alpha", config.loraAlpha, adapter->alpha),
             takeOver(choice, "lora_dropout", config.loraDropout, adapter->dropout),
             takeOver(choice, "lora_targets", config.loraTargets, adapter->targets),
             takeOver(choice, "use_rslora", config.useRslora, adapter->rslora),
             takeOver(choice, "use_dora", config.useDora, adapter->dora),
             takeOver(choice, "modules_to_save", config.modulesToSave, adapter->modulesToSave) }) {
        if (!taken)
            return tl::unexpected(taken.error());
    }
    if (!adapter->baseModelName.empty() && adapter->baseModelName != modelName)
        notice("The adapter says it was made for " + adapter->baseModelName + "; it is used with " + modelName + ".",
            false);
    return std::optional(std::move(*adapter));
}

} // namespace

Result<RunModel> openRunModel(const ConfigChoice& choice, const Notice& notice)
{
    const ConfigChoice named { withResolvedPaths(choice.values), choice.set };
    for (const Finding& finding : validate(named)) {
        if (!finding.warning)
            return failure(finding.message);
        notice(finding.message, true);
    }
    auto resolved = resolveAutomatic(named.values);
    if (!resolved)
        return tl::unexpected(resolved.error());
    resolved->evalBatchSize = resolved->evalBatchSize.value_or(resolved->batchSize);
    notice("Opening the model.", false);
    auto model = openModelFiles(resolved->model);
    if (!model)
        return tl::unexpected(model.error());
    if (resolved->maxLength > model->spec.contextLength)
        return failure("max_length: " + std::to_string(resolved->maxLength)
            + " tokens is more than the model's context of " + std::to_string(model->spec.contextLength)
            + "; choose at most that.");
    auto adapter = openAdapter(named, *resolved, model->spec, notice, model->name);
    if (!adapter)
        return tl::unexpected(adapter.error());
    if (resolved->method == Method::lora) {
        if (auto checked = checkLoraTargets(model->spec, resolved->loraTargets); !checked)
            return tl::unexpected(checked.error());
        if (auto checked = checkModulesToSave(model->spec, resolved->modulesToSave, resolved->loraTargets); !checked)
            return tl::unexpected(checked.error());
    }
    auto prompts = openPrompts(*resolved, model->spec);
    if (!prompts)
        return tl::unexpected(prompts.error());
    return RunModel { std::move(*resolved), std::move(*model), std::move(*adapter), std::move(*prompts) };
}

Result<RunInputs> openRunInputs(const ConfigChoice& choice, const Notice& notice, const std::stop_token& stop)
{
    auto opened = openRunModel(choice, notice);
    if (!opened)
        return tl::unexpected(opened.error());
    if (opened->config.effectiveBatch) {
        const auto solved
            = readExtents(opened->config, opened->model.spec.vocabularySize).and_then([&](const ReadExtents& extents) {
                  return solveEffectiveBatch(*opened, choice.set, extents.view());
              });
        if (!solved)
            return tl::unexpected(solved.error());
        notice(*solved, false);
    }
    auto data = prepareData(opened->config, opened->model.spec, notice, stop);
    if (!data)
        return tl::unexpected(data.error());
    return RunInputs { std::move(*opened), std::move(*data) };
}

nlohmann::ordered_json describeEnvironment(const RunInputs& inputs)
{
    const HostMemory memory = readHostMemory();
    nlohmann::ordered_json environment {
        { "tunebench", TUNEBENCH_VERSION },
        { "libtorch", TORCH_VERSION },
        { "device", inputs.config.device },
        { "threads", threadCount(inputs.config.threads) },
        { "memory_total", memory.total },
        { "model",
            { { "name", inputs.model.name }, { "family", inputs.model.spec.family },
                { "parameters", parameterCount(inputs.model.spec) }, { "fingerprint", inputs.model.fingerprint() } } },
        { "data",
            { { "fingerprint", inputs.data.fingerprint }, { "training_rows", inputs.data.rows.training.size() },
                { "held_out_rows", inputs.data.rows.heldOut.size() } } },
        { "driver", nullptr },
        { "card", nullptr },
    };
    const Nvml nvml;
    if (const auto driver = nvml.driverVersion())
        environment["driver"] = *driver;
    if (const auto number = cudaNumber(inputs.config.device)) {
        if (const auto reading = nvml.read(*number))
            environment["card"] = { { "name", reading->name }, { "memory_total", reading->total.value_or(0) } };
    }
    return environment;
}

} // namespace tunebench
