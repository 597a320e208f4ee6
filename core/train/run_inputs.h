#pragma once

#include "core/config/options.h"
#include "core/model/model_files.h"
#include "core/model/peft_adapter.h"
#include "core/train/prepare.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace tunebench {

/// Everything that a run reads, checked; the same for training and for the plan.
struct RunInputs {
    RunConfig config; ///< resolved: no `auto`, LoRA options from the adapter where there is one
    ModelFiles model;
    std::optional<PeftAdapter> adapter;
    PreparedData data;
};

Result<RunInputs> openRunInputs(const ConfigChoice& choice, const Notice& notice, const std::stop_token& stop = {});

/// environment.json: versions, device, fingerprints of model and data.
nlohmann::ordered_json describeEnvironment(const RunInputs& inputs);

} // namespace tunebench
