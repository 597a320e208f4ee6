#include "core/train/training_run.h"

#include "core/base/sleep_inhibitor.h"
#include "core/base/thread_priority.h"
#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/config/number_text.h"
#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/memory/machine_report.h"
#include "core/memory/precision_advice.h"
#include "core/memory/product_speed.h"
#include "core/runs/run_library.h"
#include "core/runs/throughput.h"
#include "core/train/checkpoint.h"
#include "core/train/courtesy.h"
#include "core/train/explain_failure.h"
#include "core/train/out_of_memory_watch.h"
#include "core/train/plan_memory.h"
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

/// The parts of a run that may end in an exception.
class Guard {
public:
    Guard(const RunInputs& inputs, at::Device device)
        : m_inputs(inputs)
        , m_device(device)
    {
    }

    /// Runs `body`; what it throws becomes an error in words, and a report where memory ran out.
    template <class Body> auto run(Body body) -> decltype(body())
    {
        try {
            return body();
        } catch (const std::exception& error) {
            if (isOutOfMemory(error) && !m_report) {
                m_report = describeOutOfMemory(error, moment, m_device, m_inputs);
                m_ended = moment;
            }
            return failure(explainException(error), Fault::work);
        }
    }

    /// Where memory ran out, with what helps; to be called when the run has given its memory back.
    std::optional<OutOfMemoryReport> report() const
    {
        auto report = m_report;
        if (report) {
            report->intact = intact;
            explainOutOfMemory(*report, m_ended, m_inputs);
        }
        return report;
    }

    RunMoment moment; ///< what the body is doing
    bool intact = true; ///< trained weights and the optimizer's state

private:
    const RunInputs& m_inputs;
    at::Device m_device;
    std::optional<OutOfMemoryReport> m_report; ///< of the first time
    RunMoment m_ended; ///< then
};

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

/// Keeps what was learnt, however the run ended.
Result<void> saveAll(const RunInputs& inputs, Trainee& trainee, TrainingLoop& loop, const RunRecorder& recorder,
    bool finished, const Notice& notice)
{
    loop.checkpoint();
    auto saved = saveResult(recorder.path(), inputs, trainee, notice);
    return saved && finished ? saveBest(inputs, trainee, recorder, notice) : saved;
}

/// Loads the model, trains and saves.
Result<LoopEnd> trainAndSave(const RunInputs& inputs, bool resumed, at::Device device, Guard& guard,
    RunRecorder& recorder, const RunControls& controls, const Notice& notice)
{
    if (auto tested = guard.run([&] { return selfTestProducts(inputs.config.compute, device); }); !tested)
        return tl::unexpected(tested.error());
    resetPeakMemory(device);
    notice("Loading the weights.", false);
    auto trainee = guard.run([&] {
        return makeTrainee(inputs.config, inputs.model.spec, inputs.model.weights.get(),
            inputs.adapter ? &*inputs.adapter : nullptr, device);
    });
    if (!trainee)
        return tl::unexpected(trainee.error());
    if (resumed) {
        if (auto found = guard.run([&] { return goOnFromCheckpoint(*trainee, recorder, notice); }); !found)
            return tl::unexpected(found.error());
    }
    TrainingLoop loop(inputs, *trainee, recorder, controls, guard.moment);
    auto trained = guard.run([&] { return loop.run(); });
    // What was learnt is kept however the run ended, but not in a folder that somebody has taken away.
    if (auto there = recorder.check(); !recorder.folderIsThere())
        return tl::unexpected(there.error());
    guard.intact = trainee->optimizer.whole();
    if ((recorder.summary().step == 0 && !trained) || !guard.intact)
        return trained;
    const bool finished = trained && trained->state == RunState::finished;
    guard.moment = { OutOfMemoryPhase::saving, recorder.summary().step };
    const auto saved = guard.run([&] { return saveAll(inputs, *trainee, loop, recorder, finished, notice); });
    return saved || !trained ? trained : tl::unexpected(withResumeRemedy(saved.error()));
}

/// What the run is planned to need, and a warning where this machine would swap; nothing where it cannot be planned.
void sayPlan(const RunInputs& inputs, const Notice& notice)
{
    const auto plan = planLoaded(inputs, true);
    if (!plan)
        return;
    notice("Planned: a peak of " + bytesText(plan->peakAllocated)
            + (plan->secondsPerStep ? ", " + fixedText(*plan->secondsPerStep, 2) + " s a step." : "."),
        false);
    if (plan->swaps())
        notice("The run is planned to take " + bytesText(plan->hostBytes) + " of the computer's memory, and "
                + bytesText(plan->hostFree)
                + " are free: the machine would swap, which is far slower. Choose a smaller batch_size, or "
                  "gradient_checkpointing full.",
            true);
}

/// On a device with the memory that the options allow; the limit is gone afterwards. A failure for want of memory is
/// in the recorder's summary as a report.
Result<LoopEnd> trainWithin(
    const RunInputs& inputs, bool resumed, RunRecorder& recorder, const RunControls& controls, const Notice& notice)
{
    const auto device = openDevice(inputs.config.device);
    if (!device)
        return tl::unexpected(device.error());
    const at::AutoDispatchBelowADInplaceOrView noGradients; // LibTorch's own gradients are not used: less work a call
    for (std::string& advice : precisionAdvice(inputs.config, knownDevice(inputs.config.device)))
        notice(std::move(advice), true);
    if (device->is_cpu()) // before LibTorch starts this thread's workers, which then do as it does
        lowerThreadPriority(courtesyRule(inputs.config.courtesy).niceness);
    useThreads(inputs.config.threads);
    if (auto limited = limitMemory(*device, limitBytes(inputs.config)); !limited)
        return tl::unexpected(limited.error());
    Guard guard(inputs, *device);
    sayPlan(inputs, notice);
    auto trained = trainAndSave(inputs, resumed, *device, guard, recorder, controls, notice);
    static_cast<void>(limitMemory(at::kCPU, 0)); // cannot fail: a limit on the CPU is only a number
    auto report = trained ? std::nullopt : guard.report();
    if (!report)
        return trained;
    const auto checkpoints = checkpointSteps(recorder.path());
    if (!checkpoints.empty())
        report->checkpoint = checkpoints.front();
    recorder.outOfMemory(*report);
    return failure(outOfMemoryText(*report), Fault::work);
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
    const auto finished = trainWithin(inputs, resumed, recorder, controls, notice);
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
