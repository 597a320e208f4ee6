#pragma once

#include "core/train/run_inputs.h"
#include "core/train/trainee.h"

namespace tunebench {

/// Writes what was learnt into the run folder: adapter/ as PEFT keeps it, or model/ as a Hugging Face folder (fp32).
Result<void> saveResult(
    const std::filesystem::path& run, const RunInputs& inputs, Trainee& trainee, const Notice& notice);

} // namespace tunebench
