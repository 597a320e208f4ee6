#pragma once

#include "core/train/trainer.h"

#include <functional>
#include <stop_token>

namespace tunebench {

/// How a run is watched and steered; all are called from the thread that trains.
struct RunControls {
    std::function<void(TrainerEvent)> emit;
    std::stop_token stop;
    std::function<bool()> paused;
    std::function<void()> awaitResume; ///< returns when no longer paused, or stopped
};

/// A whole run, or the rest of one, from reading its inputs to the saved result; returns its folder. Errors of the
/// inputs come before there is a folder (Fault::input); a failure after that is in the folder's summary as well, and
/// what was learnt until then is saved.
Result<std::filesystem::path> runTraining(const TrainingJob& job, const RunControls& controls);

} // namespace tunebench
