#pragma once

#include "core/config/options.h"
#include "core/model/model_files.h"
#include "core/model/peft_adapter.h"
#include "core/train/prepare.h"
#include "core/train/prompts.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace tunebench {

/// The model of a run and the options as they apply to it, checked; the same for training and for the plan.
struct RunModel {
    RunConfig config; ///< resolved: no `auto`, LoRA options from the adapter where there is one
    ModelFiles model;
    std::optional<PeftAdapter> adapter;
    std::shared_ptr<const Prompts> prompts; ///< null where there are none

    /// Tokens; 0 without prompts.
    int64_t longestPrompt() const { return prompts ? prompts->longest() : 0; }
};
Result<RunModel> openRunModel(const ConfigChoice& choice, const Notice& notice);

/// Everything that a run reads.
struct RunInputs : RunModel {
    PreparedData data;
};
Result<RunInputs> openRunInputs(const ConfigChoice& choice, const Notice& notice, const std::stop_token& stop = {});

/// environment.json: versions, device, fingerprints of model and data.
nlohmann::ordered_json describeEnvironment(const RunInputs& inputs);

} // namespace tunebench
