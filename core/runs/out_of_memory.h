#pragma once

#include "core/runs/remedy.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tunebench {

enum class OutOfMemoryPhase { load, firstStep, laterStep, evaluation, saving };

/// How a run came to the end of its memory: when, what was live, and what would help. Bytes; what is not known is
/// absent.
struct OutOfMemoryReport {
    OutOfMemoryPhase phase = OutOfMemoryPhase::load;
    int64_t step = 0; ///< the one in work, from 1; for an evaluation or saving the steps done
    std::optional<int64_t> requested; ///< what was wanted on top
    std::optional<int64_t> limit; ///< memory_limit, the card's, or the device's own
    int64_t allocated = 0; ///< in use then
    std::optional<int64_t> reserved; ///< held by a caching allocator, what is in use included
    std::vector<std::pair<std::string, int64_t>> categories; ///< of what was in use; those that hold nothing left out
    std::optional<int64_t> layer; ///< of the decoder
    std::string operation, pass; ///< attention, ... and load, forward, recompute, backward, update
    std::vector<int64_t> rowLengths; ///< tokens of each row of the micro-batch; empty where there was none
    std::optional<int64_t> plannedPeak;
    std::optional<int64_t> otherPrograms; ///< what they hold of the device
    std::optional<int64_t> checkpoint; ///< step of the newest one, which `resume` goes on from
    bool intact = true; ///< trained weights and the optimizer's state are those of the steps done
    std::vector<Remedy> remedies; ///< at most five, the best first

    /// Whether the plan is beyond the limit.
    std::optional<bool> foreseen() const
    {
        return plannedPeak && limit ? std::optional(*plannedPeak > *limit) : std::nullopt;
    }
};

/// The object that summary.json holds as `out_of_memory`.
nlohmann::ordered_json outOfMemoryToJson(const OutOfMemoryReport& report);
/// Nothing for a value that is no report.
std::optional<OutOfMemoryReport> outOfMemoryFromJson(const nlohmann::ordered_json& object);

/// What happened, what is kept (of a run that is `saved`) and what to try, in a few sentences.
std::string outOfMemoryText(const OutOfMemoryReport& report, bool saved = true);

/// The facts, each a name ("in use", "planned") and what it is.
std::vector<std::pair<std::string, std::string>> outOfMemoryFacts(const OutOfMemoryReport& report);

/// "precision bf16: peak 310 MiB, 120 MiB less, which fits; the frozen weights are rounded".
std::string remedyLine(const Remedy& remedy);

} // namespace tunebench
