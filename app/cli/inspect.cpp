#include "app/cli/command_line.h"

#include "core/base/files.h"
#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/data/refusals.h"
#include "core/model/huggingface_folder.h"
#include "core/model/model_spec.h"

#include <algorithm>
#include <memory>
#include <numeric>
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

/// Shares of the rows that max_length cuts, and that lose supervised tokens when cut at one side.
ordered_json truncationOf(const std::vector<RowExtent>& rows, size_t maxLength)
{
    const auto shareOf = [&](auto is) {
        return static_cast<double>(std::count_if(rows.begin(), rows.end(), is)) / static_cast<double>(rows.size());
    };
    const auto isCut = [&](const RowExtent& row) { return row.tokens > maxLength; };
    const double cut = shareOf(isCut);
    const double right = shareOf([&](const RowExtent& row) { return isCut(row) && row.lastTarget >= maxLength; });
    // The first token that is left is nobody's target any more.
    const double left
        = shareOf([&](const RowExtent& row) { return isCut(row) && row.firstTarget <= row.tokens - maxLength; });
    return { { "max_length", maxLength }, { "truncated_share", { { "right", cut }, { "left", cut } } },
        { "answers_cut_share", { { "right", right }, { "left", left } } } };
}

ordered_json lengthsOf(const std::vector<RowExtent>& rows, int64_t maxLength)
{
    std::vector<size_t> lengths;
    for (const RowExtent& row : rows) {
        lengths.push_back(row.tokens);
    }
    std::sort(lengths.begin(), lengths.end());
    const auto sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    const auto percentile = [&](size_t percent) { // nearest rank
        return lengths[std::max<size_t>((lengths.size() * percent + 99) / 100, 1) - 1];
    };
    ordered_json object { { "mean", sum / static_cast<double>(lengths.size()) }, { "p50", percentile(50) },
        { "p90", percentile(90) }, { "p95", percentile(95) }, { "p99", percentile(99) },
        { "longest", lengths.back() } };
    object.update(truncationOf(rows, static_cast<size_t>(maxLength)));
    return object;
}

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
    out << "format   " << report["format"].get<std::string>() << " (" << report["why"].get<std::string>()
        << ")\nrows     " << report["rows"] << "\ncolumns  ";
    for (const auto& column : report["columns"]) {
        out << column.get<std::string>() << ' ';
    }
    out << "\nduplicates  " << report["duplicates"] << '\n';
    for (const auto& [key, value] : report["lengths"].items()) {
        out << key << "  " << value << '\n';
    }
    for (const auto& notice : report["notices"]) {
        out << notice.get<std::string>() << '\n';
    }
    for (const auto& group : report["refused_by_reason"]) {
        out << "refused: " << group["count"] << " x " << group["reason"].get<std::string>() << '\n';
    }
    for (const auto& row : report["refused"]) {
        const std::string file = row.contains("file") ? row["file"].get<std::string>() + ", " : "";
        out << "refused: " << file << "line " << row["line"] << ": " << row["reason"].get<std::string>() << '\n';
    }
}

/// The ids that a model has: the rows of its embedding, where its config is there, else the tokens of its tokenizer.
size_t vocabularySizeOf(const std::string& model, const TextModel& text)
{
    const auto spec = std::filesystem::is_directory(model)
        ? readModelConfig(model).and_then([&](const auto& config) { return modelSpecFromConfig(config, model); })
        : failure("a single file");
    return spec ? static_cast<size_t>(spec->vocabularySize) : text.tokenizer.size();
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
        setup = EncodingSetup(&*text);
        setup.vocabularySize = vocabularySizeOf(options.model, *text);
        setup.textFiles = options.model;
        setup.keptRows = cacheDirectory() / "encoded";
    }
    const auto found = inspectDataset(options.files, choice.values, setup);
    if (!found) {
        return tl::unexpected(found.error());
    }
    ordered_json lengths;
    if (text && !found->extents.empty()) {
        lengths = lengthsOf(found->extents, choice.values.maxLength);
    }
    const ordered_json report = reportOf(*found, std::move(lengths), options.files.size() > 1);
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
