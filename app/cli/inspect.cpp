#include "app/cli/command_line.h"
#include "app/cli/length_report.h"

#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/data/refusals.h"
#include "core/model/model_files.h"

#include <memory>
#include <optional>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options {
    std::vector<std::string> files;
    std::string model;
    std::vector<std::string> assignments;
};

ordered_json refusedOf(const std::vector<RefusedRow>& rows, bool severalFiles)
{
    ordered_json refused = ordered_json::array();
    for (const RefusedRow& row : rows) {
        ordered_json entry { { "line", row.line }, { "reason", row.reason } };
        if (severalFiles) {
            entry["file"] = row.file;
        }
        refused.push_back(std::move(entry));
    }
    return refused;
}

ordered_json reasonsOf(const std::vector<RefusedRow>& rows)
{
    ordered_json reasons = ordered_json::array();
    for (const RefusalGroup& group : groupRefusals(rows)) {
        ordered_json lines = ordered_json::array();
        for (const RefusedRow* row : group.first) {
            lines.push_back(row->line);
        }
        reasons.push_back(
            { { "reason", group.reason }, { "count", group.count }, { "first_lines", std::move(lines) } });
    }
    return reasons;
}

ordered_json reportOf(const DatasetInspection& found, ordered_json lengths, bool severalFiles)
{
    return { { "format", choiceName(found.format) }, { "why", found.why }, { "rows", found.rows },
        { "refused", refusedOf(found.refused, severalFiles) }, { "refused_by_reason", reasonsOf(found.refused) },
        { "duplicates", found.duplicates }, { "columns", found.columns }, { "lengths", std::move(lengths) },
        { "notices", found.notices } };
}

void writeText(std::ostream& out, const ordered_json& report)
{
    out << "format      " << report["format"].get<std::string>() << " (" << report["why"].get<std::string>()
        << ")\nrows        " << report["rows"] << "\ncolumns     ";
    for (const auto& column : report["columns"]) {
        out << column.get<std::string>() << ' ';
    }
    out << "\nduplicates  " << report["duplicates"] << '\n';
    writeLengthReport(out, report["lengths"]);
    for (const auto& notice : report["notices"]) {
        out << notice.get<std::string>() << '\n';
    }
    for (const auto& row : report["refused"]) {
        const std::string file = row.contains("file") ? row["file"].get<std::string>() + ", " : "";
        out << "refused: " << file << "line " << row["line"] << ": " << row["reason"].get<std::string>() << '\n';
    }
}

/// The ids that a model has: the rows of its embedding, where its config is there, else the tokens of its tokenizer.
int64_t vocabularySizeOf(const std::string& model, const TextModel& text)
{
    const auto spec = readModelSpec(model);
    return spec ? spec->vocabularySize : static_cast<int64_t>(text.tokenizer.size());
}

Result<int> inspect(Console& console, const Options& options)
{
    ConfigChoice choice;
    for (const std::string& assignment : options.assignments) {
        if (const auto set = applyAssignment(choice, assignment); !set) {
            return tl::unexpected(set.error());
        }
    }
    std::optional<TextModel> text;
    EncodingSetup setup;
    if (!options.model.empty()) {
        auto opened = openTextModel(options.model);
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        text = std::move(*opened);
        setup = keepingSetup(&*text, options.model, vocabularySizeOf(options.model, *text));
    }
    const auto found = inspectDataset(options.files, choice.values, setup);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const bool severalFiles = options.files.size() > 1 || std::filesystem::is_directory(options.files.front());
    const ordered_json report = reportOf(*found, lengthReport(found->extents, choice.values), severalFiles);
    if (console.json) {
        writeJsonLine(console.out, report);
    } else {
        writeText(console.out, report);
    }
    if (found->rows == 0) {
        return failure("No row of " + options.files.front() + " can be used"
            + (found->refused.empty() ? "." : ": " + refusalSummary(found->refused) + "."));
    }
    return 0;
}

} // namespace

void addInspect(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("inspect", "What is in a dataset: format, usable rows, refused rows, lengths",
        [options](Console& console) { return inspect(console, *options); });
    command->add_option("DATASET", options->files, "Dataset files")->required();
    command->add_option("--model", options->model, "Model whose tokens the lengths count in");
    command->add_option("--set", options->assignments, "Option of the config, as key=value (max_length=1024)")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
}

} // namespace tunebench
