#pragma once

#include "core/base/result.h"
#include "core/config/options.h"
#include "core/data/micro_batches.h"
#include "core/memory/memory_ledger.h"
#include "core/memory/step_curve.h"
#include "core/model/model_spec.h"
#include "core/train/run_extents.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tunebench {

struct RunInputs;

/// What a run would need.
struct MemoryPlan {
    int64_t peakAllocated = 0; ///< bytes, over load and all steps, as the metrics' peak_allocated
    int64_t resident = 0; ///< bytes between steps
    int64_t libraryWorkspace = 0; ///< bytes within the peak that the device's libraries hold for themselves
    MemoryBreakdown atPeak {}; ///< with libraryWorkspace it adds up to the peak
    MemoryPlace place; ///< of the peak
    int64_t typicalPeak = 0; ///< bytes, of a micro-batch of mean size
    std::vector<CurvePoint> curve; ///< memory over the operations of the step with the peak
    std::optional<int64_t> peakReserved; ///< bytes that LibTorch takes from a CUDA device
    std::optional<int64_t> peakProcess; ///< peak and what the process takes beside it there, as `doctor` measured it
    /// Bytes of the computer's memory: all of a run on the CPU; of one on a card what is offloaded or what is copied to
    /// be saved, whichever is more.
    int64_t hostBytes = 0;
    int64_t hostFree = 0; ///< bytes of it that programs could have when the plan was made
    std::optional<double> secondsPerStep; ///< mean, courtesy's pauses in it, evaluations left out
    /// As secondsPerStep, of a card that was not measured, if it reached its published speeds all the time.
    std::optional<double> secondsAtBest;
    std::string noTime; ///< why there is no secondsPerStep, a sentence
    int64_t limit = 0; ///< bytes that the options allow (limitBytes); 0: no limit
    int64_t room = 0; ///< bytes of the limit; without one what the device has, as far as that is known; 0: unknown
    RunConfig config; ///< as resolved
    StepCounts counts;

    /// Per step, measured or at best: to compare with other plans for the same device.
    std::optional<double> seconds() const { return secondsPerStep ? secondsPerStep : secondsAtBest; }
    /// What has to find room.
    int64_t needed() const { return peakReserved ? std::max(*peakReserved, peakAllocated) : peakAllocated; }
    /// The machine would have to swap.
    bool swaps() const { return hostBytes > hostFree; }
    bool fits() const { return room == 0 || needed() <= room; }
};

/// How much a plan tells.
enum class PlanDetail : uint8_t {
    memory, ///< peaks alone: for a search that asks nothing else
    figures, ///< the time as well, but no typical peak and no curve: faster, for many plans at once
    all,
};

/// The most memory that a run would hold at once, bytes as `peak_allocated` counts them: the training step itself, run
/// dry on the micro-batches of the run that are extreme (most tokens, the longest row, most supervised tokens), and
/// evaluation of the rows of eval_dataset or those that eval_share holds out; and the time of a step, from the
/// operations that the dry run counts and their prices on the device. `auto` options are resolved as training resolves
/// them. An error when the model cannot be opened or no row is left to train on. Takes some ten milliseconds.
/// Several threads may plan at once.
Result<MemoryPlan> planMemory(const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail);

/// The same for options that have been resolved, and a model that is described but need not be there; `longestPrompt`
/// is in tokens (eval_prompts).
Result<MemoryPlan> planModel(const RunConfig& config, const ModelSpec& spec, const RunExtents& extents,
    PlanDetail detail, int64_t longestPrompt = 0);

/// The figures of a run whose rows are loaded: with its evaluations, or of its steps alone.
Result<MemoryPlan> planLoaded(const RunInputs& inputs, bool evaluates);

} // namespace tunebench
