#include "core/train/dry_run.h"

#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/train/trainee.h"

#include <mutex>

namespace tunebench {

Result<PlannedMemory> dryRun(
    const RunConfig& config, const ModelSpec& spec, std::span<const std::vector<MicroBatch>> steps)
{
    // The meta device has one ledger for the process; plans take turns.
    static std::mutex turn;
    const std::lock_guard lock(turn);
    initializeEngine();
    const int64_t before = metaLedger().allocated();
    metaLedger().resetPeak();
    auto trainee = makeTrainee(config, spec, nullptr, nullptr, at::kMeta);
    if (!trainee)
        return tl::unexpected(trainee.error());
    const int64_t resident = metaLedger().allocated() - before;
    for (const auto& group : steps)
        trainStep(*trainee, config, group, config.learningRate, [] { return true; });
    return PlannedMemory { metaLedger().peak() - before, resident, metaLedger().breakdownAtPeak(),
        metaLedger().placeOfPeak() };
}

} // namespace tunebench
