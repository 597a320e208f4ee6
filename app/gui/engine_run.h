#pragma once

#include "ui/train/training_run.h"

namespace tunebench {

/// A run of the engine, for the workbench.
class EngineRun : public TrainingRun {
public:
    explicit EngineRun(TrainingJob job)
        : m_trainer(std::move(job))
    {
    }

    void pause() override { m_trainer.pause(); }
    void resume() override { m_trainer.resume(); }
    void stop() override { m_trainer.stop(); }
    std::vector<TrainerEvent> drain() override { return m_trainer.drain(); }
    bool finished() const override { return m_trainer.finished(); }
    Result<std::filesystem::path> outcome() const override { return m_trainer.outcome(); }

private:
    Trainer m_trainer;
};

} // namespace tunebench
