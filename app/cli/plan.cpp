#include "app/cli/config_arguments.h"
#include "app/cli/engine_commands.h"
#include "app/cli/grid.h"

#include "core/config/cards.h"
#include "core/data/files/parallel.h"
#include "core/model/model_files.h"
#include "core/train/plan_memory.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options : ConfigArguments {
    std::string card;
    std::vector<std::string> grid;
};

/// Plans, several at once if asked; rows are read once for all plans that read them alike.
class Planner {
public:
    Result<MemoryPlan> plan(const ConfigChoice& choice, PlanDetail detail)
    {
        const auto extents = extentsFor(choice);
        if (!extents) {
            return tl::unexpected(extents.error());
        }
        return planMemory(choice, (*extents)->view(), detail);
    }

private:
    Result<const ReadExtents*> extentsFor(const ConfigChoice& choice)
    {
        std::string key;
        for (const char* option : { "model", "dataset", "eval_dataset", "dataset_format", "dataset_columns", "loss_on",
                 "objective", "threads" }) {
            key += optionValue(choice.values, option).dump() + '\n';
        }
        const std::lock_guard lock(m_mutex);
        auto known = m_extents.find(key);
        if (known == m_extents.end()) {
            const RunConfig config = withResolvedPaths(choice.values);
            auto extents = readModelSpec(config.model).and_then([&](const ModelSpec& spec) {
                return readExtents(config, spec.vocabularySize);
            });
            if (!extents) {
                return tl::unexpected(extents.error());
            }
            known = m_extents.emplace(key, std::move(*extents)).first;
        }
        return &known->second;
    }

    std::mutex m_mutex;
    std::map<std::string, ReadExtents> m_extents;
};

ordered_json placeToJson(const MemoryPlace& place)
{
    return { { "layer", place.layer >= 0 ? ordered_json(place.layer) : ordered_json() }, { "op", place.operation },
        { "pass", place.pass } };
}

ordered_json planToJson(const MemoryPlan& plan)
{
    ordered_json categories = ordered_json::object();
    for (size_t i = 0; i < memoryCategoryCount; ++i) {
        categories[std::string(memoryCategoryName(static_cast<MemoryCategory>(i)))] = plan.atPeak.at(i);
    }
    if (plan.peakReserved) {
        categories["library workspace"] = plan.libraryWorkspace;
    }
    ordered_json json { { "peak_allocated", plan.peakAllocated }, { "peak_reserved", orNull(plan.peakReserved) },
        { "peak_process", orNull(plan.peakProcess) }, { "seconds_per_step", orNull(plan.secondsPerStep) },
        { "seconds_per_step_at_best", orNull(plan.secondsAtBest) }, { "at", placeToJson(plan.place) },
        { "categories", std::move(categories) }, { "resident", plan.resident },
        { "limit", plan.limit > 0 ? ordered_json(plan.limit) : ordered_json() },
        { "fits", plan.room > 0 ? ordered_json(plan.fits()) : ordered_json() },
        { "total_steps", plan.counts.totalSteps }, { "effective_batch", plan.counts.effectiveBatch },
        { "batch_size", plan.config.batchSize }, { "accumulation_steps", plan.config.accumulationSteps } };
    json["host"] = { { "needed", plan.hostBytes }, { "free", plan.hostFree }, { "swaps", plan.swaps() } };
    if (!plan.noTime.empty()) {
        json["no_time"] = plan.noTime;
    }
    return json;
}

/// What a single plan tells beyond the cell of a grid.
ordered_json detailsToJson(const MemoryPlan& plan)
{
    ordered_json curve = ordered_json::array();
    for (const CurvePoint& point : plan.curve) {
        curve.push_back(placeToJson(point.place));
        curve.back().update({ { "peak", point.peak }, { "after", point.after } });
    }
    return { { "device", plan.config.device }, { "precision", optionValue(plan.config, "precision") },
        { "compute", optionValue(plan.config, "compute") }, { "typical_peak", plan.typicalPeak },
        { "curve", std::move(curve) } };
}

std::string roomText(const MemoryPlan& plan)
{
    if (plan.room == 0) {
        return "what the device has is not known (card, memory_limit)";
    }
    const std::string bytes = bytesText(plan.room);
    const std::string room = plan.limit > 0 ? bytes
        : cudaNumber(plan.config.device)    ? "the card's " + bytes
                                            : "the " + bytes + " free here";
    return plan.fits() ? "fits: " + bytesText(plan.room - plan.needed()) + " of " + room + " stay free"
                       : "does not fit: " + bytesText(plan.needed() - plan.room) + " more than " + room
            + (plan.config.onOutOfMemory == OutOfMemoryAction::split ? "; will be split" : "");
}

/// "3.21 s a step", "at best 0.210 s a step".
std::string stepText(const MemoryPlan& plan)
{
    const double seconds = plan.seconds().value();
    return (plan.secondsPerStep ? "" : "at best ") + fixedText(seconds, seconds < 1 ? 3 : 2) + " s a step";
}

/// "3.21 s a step, 12:40 in all, evaluations left out".
std::string timeText(const MemoryPlan& plan)
{
    if (!plan.seconds()) {
        return plan.noTime;
    }
    return stepText(plan) + ", " + durationText(*plan.seconds() * static_cast<double>(plan.counts.totalSteps))
        + " in all, evaluations left out"
        + (plan.secondsPerStep ? "" : ": what the card's published speeds allow. " + plan.noTime);
}

std::string placeText(const MemoryPlace& place)
{
    return std::string(place.operation) + (place.layer >= 0 ? " of layer " + std::to_string(place.layer) : "") + ", "
        + std::string(place.pass);
}

void writePlan(std::ostream& out, const MemoryPlan& plan)
{
    out << "peak      " << bytesText(plan.peakAllocated) << " (" << plan.peakAllocated << " bytes), " << roomText(plan)
        << "\nreached   " << placeText(plan.place) << "; a micro-batch of mean size needs "
        << bytesText(plan.typicalPeak) << '\n';
    if (plan.peakReserved) {
        out << "reserved  " << bytesText(*plan.peakReserved) << " by LibTorch's allocator on " << plan.config.device
            << " (simulated; not verified on hardware)\n";
    }
    if (plan.peakProcess) {
        out << "process   about " << bytesText(*plan.peakProcess) << " on " << plan.config.device
            << ", with what the libraries hold\n";
    }
    if (plan.swaps() || (plan.hostBytes > 0 && plan.peakReserved)) {
        out << "computer  " << bytesText(plan.hostBytes) << " of its memory; " << bytesText(plan.hostFree)
            << " are free" << (plan.swaps() ? ", so it would swap, which is far slower" : "") << '\n';
    }
    out << "steps     " << plan.counts.totalSteps << " of " << plan.counts.effectiveBatch
        << " rows, in micro-batches of " << plan.config.batchSize << "\ntime      " << timeText(plan) << '\n';
    for (size_t i = 0; i < memoryCategoryCount; ++i) {
        if (plan.atPeak.at(i) > 0) {
            out << "  " << bytesText(plan.atPeak.at(i)) << "  " << memoryCategoryName(static_cast<MemoryCategory>(i))
                << '\n';
        }
    }
    if (plan.libraryWorkspace > 0) {
        out << "  " << bytesText(plan.libraryWorkspace) << "  library workspace\n";
    }
}

/// One combination of a grid, and its plan once it is made.
struct Cell : GridCell {
    std::optional<Result<MemoryPlan>> plan {};
};

void writeCell(std::ostream& out, const Cell& cell)
{
    const auto& plan = *cell.plan;
    out << cell.title() << ": ";
    if (plan) {
        out << bytesText(plan->peakAllocated) << ", " << roomText(*plan);
        if (plan->seconds()) {
            out << ", " << stepText(*plan);
        }
    } else {
        out << plan.error().message;
    }
    out << std::endl; // a long grid is read while it fills
}

ordered_json cellToJson(const Cell& cell)
{
    ordered_json json { { "set", cell.set() } };
    if (const auto& plan = *cell.plan) {
        json.update(planToJson(*plan));
    } else {
        json["error"] = plan.error().message;
    }
    return json;
}

Result<int> planGrid(Console& console, const ConfigChoice& base, const std::vector<std::string>& axes)
{
    auto combinations = gridCells(base, "--grid", axes);
    if (!combinations) {
        return tl::unexpected(combinations.error());
    }
    std::vector<Cell> cells;
    std::ranges::transform(
        *combinations, std::back_inserter(cells), [](GridCell& cell) { return Cell { std::move(cell) }; });
    Planner planner;
    std::mutex mutex;
    size_t written = 0;
    parallelFor(cells.size(), 0, [&](size_t i) {
        auto plan = planner.plan(cells[i].choice, PlanDetail::figures);
        const std::lock_guard lock(mutex);
        cells[i].plan = std::move(plan);
        for (; !console.json && written < cells.size() && cells[written].plan; ++written) {
            writeCell(console.out, cells[written]);
        }
    });
    if (console.json) {
        ordered_json grid = ordered_json::array();
        std::ranges::transform(cells, std::back_inserter(grid), cellToJson);
        writeJsonLine(console.out, { { "grid", std::move(grid) } });
    }
    return 0;
}

Result<int> plan(Console& console, const Options& options)
{
    auto choice = readChoice(options);
    if (!choice) {
        return tl::unexpected(choice.error());
    }
    if (!options.card.empty()) {
        if (const auto chosen = applyAssignment(*choice, "card=" + options.card); !chosen) {
            return tl::unexpected(chosen.error());
        }
        choice = asOnItsCard(*choice);
    }
    if (!options.grid.empty()) {
        return planGrid(console, *choice, options.grid);
    }
    const auto planned = Planner().plan(*choice, PlanDetail::all);
    if (!planned) {
        return tl::unexpected(planned.error());
    }
    if (console.json) {
        ordered_json json = planToJson(*planned);
        json.update(detailsToJson(*planned));
        writeJsonLine(console.out, json);
    } else {
        writePlan(console.out, *planned);
    }
    return 0;
}

std::string cardList()
{
    std::string list = "Cards:";
    for (const Card& card : cards()) {
        list += "\n  " + card.name + ": " + bytesText(card.usable) + " usable";
    }
    return list;
}

} // namespace

void addPlan(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("plan", "What a run will need in memory and time, without running it",
        [options](Console& console) { return plan(console, *options); });
    addConfigArguments(command, *options);
    command->add_option("--card", options->card, "Card that it shall fit (GTX 1650), or an amount (6 GiB)")
        ->type_name("NAME|BYTES");
    command
        ->add_option("--grid", options->grid, "Option to try with several values (batch_size=1,2,4); may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=A,B,C");
    command->footer(cardList());
}

} // namespace tunebench
