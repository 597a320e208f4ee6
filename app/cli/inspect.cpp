#include "app/cli/command_line.h"

#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/data/dataset.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options {
    std::vector<std::string> files;
    std::string model;
    std::vector<std::string> assignments;
};

bool isSupervised(TokenId label)
{
    return label != ignoredLabel;
}

/// Shares of the rows that max_length cuts, and that lose supervised tokens when cut at one side.
ordered_json truncationOf(const std::vector<TokenRow>& rows, size_t maxLength)
{
    size_t cut = 0;
    size_t right = 0;
    size_t left = 0;
    for (const TokenRow& row : rows) {
        if (row.ids.size() <= maxLength) {
            continue;
        }
        ++cut;
        const auto keptByRight = row.labels.begin() + static_cast<ptrdiff_t>(maxLength);
        // The first token that is left is nobody's target any more.
        const auto keptByLeft = row.labels.end() - static_cast<ptrdiff_t>(maxLength - 1);
        right += std::any_of(keptByRight, row.labels.end(), isSupervised) ? 1 : 0;
        left += std::any_of(row.labels.begin() + 1, keptByLeft, isSupervised) ? 1 : 0;
    }
    const auto share = [&](size_t count) { return static_cast<double>(count) / static_cast<double>(rows.size()); };
    return { { "max_length", maxLength }, { "truncated_share", { { "right", share(cut) }, { "left", share(cut) } } },
        { "answers_cut_share", { { "right", share(right) }, { "left", share(left) } } } };
}

ordered_json lengthsOf(const std::vector<TokenRow>& rows, int64_t maxLength)
{
    std::vector<size_t> lengths;
    for (const TokenRow& row : rows) {
        lengths.push_back(row.ids.size());
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

Result<ordered_json> measureLengths(const Options& options, const RunConfig& config)
{
    auto text = openTextModel(options.model);
    if (!text) {
        return tl::unexpected(text.error());
    }
    RunConfig whole = config;
    whole.maxLength = static_cast<int64_t>(*findOption("max_length")->most);
    const auto dataset = loadDataset(options.files, whole, &*text);
    if (!dataset) {
        return tl::unexpected(dataset.error());
    }
    return lengthsOf(dataset->rows, config.maxLength);
}

ordered_json reportOf(const DatasetInspection& found, ordered_json lengths, bool severalFiles)
{
    ordered_json refused = ordered_json::array();
    for (const RefusedRow& row : found.refused) {
        ordered_json entry { { "line", row.line }, { "reason", row.reason } };
        if (severalFiles) {
            entry["file"] = row.file;
        }
        refused.push_back(std::move(entry));
    }
    return { { "format", choiceName(found.format) }, { "rows", found.rows }, { "refused", std::move(refused) },
        { "columns", found.columns }, { "lengths", std::move(lengths) } };
}

void writeText(std::ostream& out, const ordered_json& report)
{
    out << "format   " << report["format"].get<std::string>() << "\nrows     " << report["rows"] << "\ncolumns  ";
    for (const auto& column : report["columns"]) {
        out << column.get<std::string>() << ' ';
    }
    out << '\n';
    for (const auto& [key, value] : report["lengths"].items()) {
        out << key << "  " << value << '\n';
    }
    for (const auto& row : report["refused"]) {
        out << "refused: line " << row["line"] << ": " << row["reason"].get<std::string>() << '\n';
    }
}

Result<int> inspect(Console& console, const Options& options)
{
    ConfigChoice choice;
    for (const std::string& assignment : options.assignments) {
        if (const auto set = applyAssignment(choice, assignment); !set) {
            return tl::unexpected(set.error());
        }
    }
    const auto found = inspectDataset(options.files, choice.values);
    if (!found) {
        return tl::unexpected(found.error());
    }
    ordered_json lengths;
    if (!options.model.empty() && found->rows > 0) {
        auto measured = measureLengths(options, choice.values);
        if (!measured) {
            return tl::unexpected(measured.error());
        }
        lengths = std::move(*measured);
    }
    const ordered_json report = reportOf(*found, std::move(lengths), options.files.size() > 1);
    if (console.json) {
        writeJsonLine(console.out, report);
    } else {
        writeText(console.out, report);
    }
    if (found->rows == 0) {
        return failure("No row of " + options.files.front() + " can be used.");
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
