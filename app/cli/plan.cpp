#include "app/cli/config_arguments.h"
#include "app/cli/engine_commands.h"

#include "core/config/cards.h"
#include "core/memory/process_meter.h"
#include "core/model/model_files.h"
#include "core/train/plan_memory.h"

#include <map>
#include <memory>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options : ConfigArguments {
    std::string card;
    std::vector<std::string> grid;
};

/// One option of a grid and the values that it takes.
struct GridAxis {
    std::string key;
    std::vector<std::string> values;
};

Result<GridAxis> parseAxis(const std::string& text)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return failure("--grid wants key=a,b,c, such as batch_size=1,2,4; \"" + text + "\" is not of that form.");
    }
    GridAxis axis { text.substr(0, equals), {} };
    for (size_t begin = equals + 1; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        axis.values.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return axis;
}

/// Every combination of the axes, the last one changing fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<GridAxis>& axes)
{
    std::vector<std::vector<std::string>> all { {} };
    for (const GridAxis& axis : axes) {
        std::vector<std::vector<std::string>> longer;
        for (const auto& some : all) {
            for (const std::string& value : axis.values) {
                longer.push_back(some);
                longer.back().push_back(axis.key + "=" + value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// Plans one after another; rows are read once for all plans that read them alike.
class Planner {
public:
    Result<MemoryPlan> plan(const ConfigChoice& choice)
    {
        std::string key;
        for (const char* option :
            { "model", "dataset", "dataset_format", "dataset_columns", "loss_on", "objective", "threads" }) {
            key += optionValue(choice.values, option).dump() + '\n';
        }
        auto known = m_extents.find(key);
        if (known == m_extents.end()) {
            const RunConfig config = withResolvedPaths(choice.values);
            auto extents = readModelSpec(config.model).and_then([&](const ModelSpec& spec) {
                return datasetExtents(config, spec.vocabularySize);
            });
            if (!extents) {
                return tl::unexpected(extents.error());
            }
            known = m_extents.emplace(key, std::move(*extents)).first;
        }
        return planMemory(choice, known->second);
    }

private:
    std::map<std::string, std::vector<RowExtent>> m_extents;
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
    return { { "peak_allocated", plan.peakAllocated }, { "peak_reserved", nullptr }, { "peak_process", nullptr },
        { "seconds_per_step", nullptr }, { "at", placeToJson(plan.place) }, { "categories", std::move(categories) },
        { "resident", plan.resident }, { "limit", plan.limit > 0 ? ordered_json(plan.limit) : ordered_json() },
        { "fits", plan.limit > 0 ? ordered_json(plan.fits()) : ordered_json() },
        { "total_steps", plan.counts.totalSteps }, { "effective_batch", plan.counts.effectiveBatch } };
}

std::string roomText(const MemoryPlan& plan)
{
    if (plan.limit == 0) {
        return "no limit is set (card, memory_limit)";
    }
    return plan.fits()
        ? "fits: " + bytesText(plan.limit - plan.peakAllocated) + " of " + bytesText(plan.limit) + " free"
        : "does not fit: " + bytesText(plan.peakAllocated - plan.limit) + " more than " + bytesText(plan.limit);
}

std::string placeText(const MemoryPlace& place)
{
    return std::string(place.operation) + (place.layer >= 0 ? " of layer " + std::to_string(place.layer) : "") + ", "
        + std::string(place.pass);
}

void writePlan(std::ostream& out, const MemoryPlan& plan)
{
    out << "peak      " << bytesText(plan.peakAllocated) << " (" << plan.peakAllocated << " bytes), " << roomText(plan)
        << "\nreached   " << placeText(plan.place) << "\nsteps     " << plan.counts.totalSteps << " of "
        << plan.counts.effectiveBatch << " rows\n";
    for (size_t i = 0; i < memoryCategoryCount; ++i) {
        if (plan.atPeak.at(i) > 0) {
            out << "  " << bytesText(plan.atPeak.at(i)) << "  " << memoryCategoryName(static_cast<MemoryCategory>(i))
                << '\n';
        }
    }
}

/// The assignments as they were meant: {"batch_size": 4}.
ordered_json setToJson(const ConfigChoice& choice, const std::vector<std::string>& assignments)
{
    ordered_json set = ordered_json::object();
    for (const std::string& assignment : assignments) {
        const std::string key = assignment.substr(0, assignment.find('='));
        set[key] = optionValue(choice.values, key);
    }
    return set;
}

Result<int> planGrid(Console& console, const ConfigChoice& base, const std::vector<GridAxis>& axes)
{
    Planner planner;
    ordered_json grid = ordered_json::array();
    for (const auto& assignments : combinations(axes)) {
        ConfigChoice choice = base;
        ordered_json cell;
        std::string title;
        std::string problem;
        for (const std::string& assignment : assignments) {
            title += (title.empty() ? "" : " ") + assignment;
            if (const auto set = applyAssignment(choice, assignment); !set) {
                return tl::unexpected(set.error());
            }
        }
        cell["set"] = setToJson(choice, assignments);
        const auto plan = planner.plan(choice);
        if (plan) {
            cell.update(planToJson(*plan));
        } else {
            cell["error"] = plan.error().message;
        }
        if (!console.json) {
            console.out << title << ": "
                        << (plan ? bytesText(plan->peakAllocated) + ", " + roomText(*plan) : plan.error().message)
                        << '\n';
        }
        grid.push_back(std::move(cell));
    }
    if (console.json) {
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
        if (const auto set = applyAssignment(*choice, "card=" + options.card); !set) {
            return tl::unexpected(set.error());
        }
    }
    std::vector<GridAxis> axes;
    for (const std::string& text : options.grid) {
        auto axis = parseAxis(text);
        if (!axis) {
            return tl::unexpected(axis.error());
        }
        axes.push_back(std::move(*axis));
    }
    if (!axes.empty()) {
        return planGrid(console, *choice, axes);
    }
    const auto planned = Planner().plan(*choice);
    if (!planned) {
        return tl::unexpected(planned.error());
    }
    if (console.json) {
        writeJsonLine(console.out, planToJson(*planned));
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
    CLI::App* command = line.add("plan", "What a run will need, to the byte, without running it",
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
