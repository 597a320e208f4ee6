#include "app/cli/command_line.h"

#include "core/runs/run_library.h"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

ordered_json recordToJson(const RunRecord& record)
{
    ordered_json object { { "name", record.name }, { "path", record.path.string() }, { "model", record.model },
        { "problem", record.problem.empty() ? ordered_json() : ordered_json(record.problem) } };
    object.update(summaryToJson(record.summary));
    return object;
}

using Row = std::array<std::string, 6>;

Row textOf(const RunRecord& record)
{
    const RunSummary& summary = record.summary;
    const auto loss = [](const std::optional<double>& value) { return value ? fixedText(*value, 4) : "-"; };
    return { record.name, std::string(runStateName(summary.state)),
        std::to_string(summary.step) + "/" + std::to_string(summary.totalSteps), loss(summary.lastLoss),
        loss(summary.lastEvalLoss), record.problem.empty() ? record.model : record.problem };
}

void writeTable(std::ostream& out, const std::vector<RunRecord>& records)
{
    std::vector<Row> rows { { "NAME", "STATE", "STEP", "LOSS", "HELD OUT", "MODEL" } };
    std::transform(records.begin(), records.end(), std::back_inserter(rows), textOf);
    std::array<size_t, std::tuple_size_v<Row>> widths {};
    for (const Row& row : rows) {
        for (size_t i = 0; i < row.size(); ++i) {
            widths.at(i) = std::max(widths.at(i), row.at(i).size());
        }
    }
    for (const Row& row : rows) {
        for (size_t i = 0; i + 1 < row.size(); ++i) {
            out << row.at(i) << std::string(widths.at(i) - row.at(i).size() + 2, ' ');
        }
        out << row.back() << '\n';
    }
}

Result<int> listAll(Console& console, const std::string& folder)
{
    const auto records = listRuns(folder);
    if (console.json) {
        ordered_json list = ordered_json::array();
        std::transform(records.begin(), records.end(), std::back_inserter(list), recordToJson);
        writeJsonLine(console.out, { { "runs", std::move(list) } });
    } else if (records.empty()) {
        console.out << "There are no runs in " << folder << ".\n";
    } else {
        writeTable(console.out, records);
    }
    return 0;
}

} // namespace

void addRuns(CommandLine& line)
{
    const auto folder = std::make_shared<std::string>();
    CLI::App* command = line.add(
        "runs", "The saved runs, newest first", [folder](Console& console) { return listAll(console, *folder); });
    addRunsOption(command, *folder);
}

} // namespace tunebench
