#include "core/train/training_run.h"

#include "core/base/sleep_inhibitor.h"
#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/memory/doctor.h"
#include "core/memory/precision_advice.h"
#include "core/memory/product_speed.h"
#include "core/runs/run_library.h"
#include "core/runs/throughput.h"
#include "core/train/checkpoint.h"
#include "core/train/explain_failure.h"
#include "core/train/resume_run.h"
#include "core/train/run_inputs.h"
#include "core/train/save_result.h"
#include "core/train/training_loop.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <algorithm>

namespace tunebench {
namespace {

RunSummary firstSummary(const RunInputs& inputs)
{
    const PreparedData& data = inputs.data;
    RunSummary summary;
    summary.startedAt = timeNow();
    summary.totalSteps = BatchPlan(lengthsOf(data.rows.training), inputs.config).counts().totalSteps;
    summary.trainingRows = static_cast<int64_t>(data.rows.training.size());
    summary.heldOutRows = static_cast<int64_t>(data.rows.heldOut.size());
    summary.refusedRows = static_cast<int64_t>(data.refused);
    summary.truncatedRows = data.truncation.rows;
    summary.tokensCut = data.truncation.tokensCut;
    summary.answersCut = data.truncation.answersCut;
    summary.truncatedShare
        = data.usable > 0 ? static_cast<double>(data.truncation.rows) / static_cast<double>(data.usable) : 0;
    return summary;
}

/// Runs `body`, and what it throws becomes an error in words.
template <class Body> auto guarded(const RunConfig& config, bool training, Body body) -> decltype(body())
{
    try {
        return body();
    } catch (const std::exception& error) {
        return failure(explainException(error, config, training), Fault::work);
    }
}

/// Fills the trainee from the newest checkpoint of the run that goes on; a run that has none starts again. Returns the
/// whether it did. Where all are damaged nothing is begun, since it would take the place of what was learnt.
Result<void> goOnFromCheckpoint(Trainee& trainee, RunRecorder& recorder, const Notice& notice)
{
    const auto from
        = loadNewestCheckpoint(recorder.path(), trainee, [&](std::string text) { notice(std::move(text), true); });
    if (!from && !checkpointSteps(recorder.path()).empty())
        return failure("No checkpoint of " + recorder.path().string()
            + " can be read. What the run has saved is as it was; to train it again from the start, begin a new run "
              "with "
              "its config.json, or remove the folder checkpoints and resume.");
    if (!from) {
        notice("There is no checkpoint to go on from, so the run starts again.", true);
        return {};
    }
    const int64_t total = recorder.summary().totalSteps;
    if (total != from->totalSteps)
        notice("The run now has " + std::to_string(total) + " steps instead of " + std::to_string(from->totalSteps)
                + "; the learning rate follows the schedule of all of them.",
            true);
    recorder.resume(*from, readCurves(recorder.path()).value_or(RunCurves {}));
    notice("Going on after step " + std::to_string(from->step) + ".", false);
    return {};
}

/// Beside the result of the last step, that of the best evaluation where it was an earlier one: in best/.
Result<void> saveBest(const RunInputs& inputs, Trainee& trainee, const RunRecorder& recorder, const Notice& notice)
{
    const auto folder = recorder.path() / "best";
    std::error_code ignored; // of an earlier end of this run; it is replaced below
    std::filesystem::remove_all(folder, ignored);
    const RunSummary& summary = recorder.summary();
    const int64_t best = summary.bestEvalStep.value_or(summary.step);
    const auto steps = checkpointSteps(recorder.path());
    if (best == summary.step || std::ranges::find(steps, best) == steps.end())
        return {};
    if (auto loaded = loadCheckpoint(recorder.path(), best, trainee); !loaded)
        return loaded;
    notice("The best evaluation was that of step " + std::to_string(best) + ", not of the last; its result is in "
            + folder.string() + ".",
        false);
    return saveResult(folder, inputs, trainee, notice);
}

/// Loads the model, trains and saves.
Result<LoopEnd> trainAndSave(
    const RunInputs& inputs, bool resumed, RunRecorder& recorder, const RunControls& controls, const Notice& notice)
{
    const auto device = openDevice(inputs.config.device);
    if (!device)
        return tl::unexpected(device.error());
    const at::AutoDispatchBelowADInplaceOrView noGradients; // LibTorch's own gradients are not used: less work a call
    for (std::string& advice : precisionAdvice(inputs.config, knownDevice(inputs.config.device)))
        notice(std::move(advice), true);
    useThreads(inputs.config.threads); // after knownDevice, which looks at the machine with all its threads
    if (auto limited = limitMemory(*device, limitBytes(inputs.config)); !limited)
        return tl::unexpected(limited.error());
    if (auto tested = selfTestProducts(inputs.config.compute, *device); !tested)
        return tl::unexpected(tested.error());
    resetPeakMemory(*device);
    notice("Loading the weights.", false);
    auto trainee = guarded(inputs.config, false, [&] {
        return makeTrainee(inputs.config, inputs.model.spec, inputs.model.weights.get(),
            inputs.adapter ? &*inputs.adapter : nullptr, *device);
    });
    if (!trainee)
        return tl::unexpected(trainee.error());
    if (resumed) {
        if (auto found = goOnFromCheckpoint(*trainee, recorder, notice); !found)
            return tl::unexpected(found.error());
    }
    TrainingLoop loop(inputs, *trainee, recorder, controls);
    auto trained = guarded(inputs.config, true, [&] { return loop.run(); });
    // What was learnt is kept however the run ended, but not in a folder that somebody has taken away.
    if (auto there = recorder.check(); !recorder.folderIsThere())
        return tl::unexpected(there.error());
    if (recorder.summary().step > 0 || trained) {
        loop.checkpoint();
        auto saved
            = guarded(inputs.config, true, [&] { return saveResult(recorder.path(), inputs, *trainee, notice); });
        if (saved && trained && trained->state == RunState::finished)
            saved = guarded(inputs.config, true, [&] { return saveBest(inputs, *trainee, recorder, notice); });
        if (!saved && trained)
            return tl::unexpected(withResumeRemedy(saved.error()));
    }
    return trained;
}

std::optional<FasterType> fasterType(const RunConfig& config)
{
    const auto faster = fasterProducts(config.compute, knownDevice(config.device));
    return faster ? std::optional(FasterType { std::string(choiceName(faster->type)), faster->factor }) : std::nullopt;
}

/// Trains in a folder that is held, and leaves its last word there.
Result<std::filesystem::path> trainIn(
    RunFolder folder, const RunInputs& inputs, bool resumed, const RunControls& controls, const Notice& notice)
{
    const SleepInhibitor awake;
    RunRecorder recorder(std::move(folder), firstSummary(inputs), controls.emit);
    recorder.environment(describeEnvironment(inputs));
    const auto finished = trainAndSave(inputs, resumed, recorder, controls, notice);
    static_cast<void>(limitMemory(at::kCPU, 0)); // cannot fail: a limit on the CPU is only a number
    if (!finished) {
        recorder.state(RunState::failed, finished.error().message);
        return tl::unexpected(finished.error());
    }
    if (!finished->reason.empty())
        notice(finished->reason, false);
    if (finished->state == RunState::stopped)
        notice("The run stopped after step " + std::to_string(recorder.summary().step)
                + "; resume it to go on from there.",
            false);
    recorder.throughput(throughputText(recorder.timedSteps(), inputs.config, fasterType(inputs.config)));
    if (!recorder.summary().throughput.empty())
        notice(recorder.summary().throughput, false);
    recorder.state(finished->state, finished->reason);
    if (auto written = recorder.check(); !written)
        return tl::unexpected(written.error());
    return recorder.path();
}

Result<std::filesystem::path> startRun(const TrainingJob& job, const RunControls& controls, const Notice& notice)
{
    if (auto named = checkRunName(job.runs, job.name); !named)
        return tl::unexpected(named.error());
    const auto inputs = openRunInputs(job.config, notice, controls.stop);
    if (!inputs)
        return tl::unexpected(inputs.error());
    auto folder = RunFolder::create(job.runs, job.name, inputs->config);
    if (!folder)
        return tl::unexpected(folder.error());
    return trainIn(std::move(*folder), *inputs, false, controls, notice);
}

Result<std::filesystem::path> resumeRun(const TrainingJob& job, const RunControls& controls, const Notice& notice)
{
    const auto found = findRunToResume(job);
    if (!found)
        return tl::unexpected(found.error());
    if (!*found) {
        notice("The run is finished; nothing is left to do.", false);
        return findRun(job.runs, job.name).map(&RunRecord::path);
    }
    const ResumableRun& run = **found;
    auto folder = RunFolder::reopen(run.path);
    if (!folder)
        return tl::unexpected(folder.error());
    const auto inputs = openRunInputs(run.config, notice, controls.stop);
    if (!inputs)
        return tl::unexpected(inputs.error());
    if (auto same = checkUnchanged(run.path, describeEnvironment(*inputs)); !same)
        return tl::unexpected(same.error());
    if (auto written = folder->writeConfig(inputs->config); !written)
        return tl::unexpected(written.error());
    return trainIn(std::move(*folder), *inputs, true, controls, notice);
}

} // namespace

Result<std::filesystem::path> runTraining(const TrainingJob& job, const RunControls& controls)
{
    const Notice notice = [&](std::string text, bool warning) { controls.emit(LogLine { std::move(text), warning }); };
    if (const std::string& problem = initializeEngine(); !problem.empty())
        notice(problem, true);
    return job.resumes ? resumeRun(job, controls, notice) : startRun(job, controls, notice);
}

} // namespace tunebench
