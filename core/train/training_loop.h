#pragma once

#include "core/data/micro_batches.h"
#include "core/train/courtesy.h"
#include "core/train/out_of_memory_watch.h"
#include "core/train/run_inputs.h"
#include "core/train/run_recorder.h"
#include "core/train/step_meter.h"
#include "core/train/trainee.h"
#include "core/train/training_run.h"

namespace tunebench {

/// How a loop came to its end.
struct LoopEnd {
    RunState state = RunState::finished; ///< or stopped
    std::string reason; ///< of an end before the last step; empty otherwise
};

/// The loop of one run: evaluation, steps, evaluation, in a run folder that exists.
class TrainingLoop {
public:
    /// `moment` tells what is being done at each time.
    TrainingLoop(const RunInputs& inputs, Trainee& trainee, RunRecorder& recorder, const RunControls& controls,
        RunMoment& moment);

    /// Trains on after the steps that the recorder's summary counts, until the last step, a limit (max_hours,
    /// early_stopping_patience, stop_at_eval_loss) or a stop.
    Result<LoopEnd> run();

    /// Keeps the state of training as it stands. A checkpoint that cannot be written ends no run.
    void checkpoint();

private:
    void say(std::string text, bool warning = false) const;
    bool goOn();
    void coolDown();
    bool evaluationDue(int64_t step, bool last) const;
    bool evaluateAt(int64_t step);
    bool answerAt(int64_t step);
    bool lossAt(int64_t step);
    void readMemory();
    std::vector<MicroBatch> groupAt(int64_t step);
    int64_t scheduledStep(int64_t step) const;
    Result<bool> trainAt(int64_t step);
    StepOutcome trainGroup(std::vector<MicroBatch>& group, double learningRate);
    void noteSplit(StepMetrics& metrics, size_t microBatches, const std::vector<MicroBatch>& group);
    void watchMemory();
    void fill(StepMetrics& metrics, const StepOutcome& outcome);

    const RunInputs& m_inputs;
    const RunConfig& m_config;
    const std::vector<TokenRow>& m_rows;
    Trainee& m_trainee;
    RunRecorder& m_recorder;
    const RunControls& m_controls;
    RunMoment& m_moment;
    BatchPlan m_batches;
    StepMeter m_meter;
    CourtesyPauses m_courtesy;
    double m_pausedSeconds = 0;
    int64_t m_saved = 0; ///< step of the newest checkpoint
};

} // namespace tunebench
