#pragma once

#include "core/train/trainer.h"

#include <functional>
#include <memory>
#include <vector>

namespace tunebench {

/// One training run as the workbench sees it; the program gives it a Trainer, tests a script. See Trainer.
class TrainingRun {
public:
    TrainingRun() = default;
    TrainingRun(const TrainingRun&) = delete;
    TrainingRun& operator=(const TrainingRun&) = delete;
    virtual ~TrainingRun() = default;

    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void stop() = 0;
    virtual std::vector<TrainerEvent> drain() = 0;
    virtual bool finished() const = 0;
    virtual Result<std::filesystem::path> outcome() const = 0;
};

/// Starts a run at once.
using StartRun = std::function<std::unique_ptr<TrainingRun>(TrainingJob)>;

} // namespace tunebench
