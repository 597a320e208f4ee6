#include "app/cli/command_line.h"
#include "app/cli/length_report.h"

#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/data/refusals.h"
#include "core/model/model_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <unistd.h>
#include <utility>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options {
    std::vector<std::string> files;
    std::string model;
    std::vector<std::string> assignments;
};

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

/// All but the refused rows, of which there may be as many as rows.
ordered_json reportOf(const DatasetInspection& found, ordered_json lengths)
{
    return { { "format", choiceName(found.format) }, { "why", found.why }, { "rows", found.rows },
        { "refused_by_reason", reasonsOf(found.refused) }, { "duplicates", found.duplicates },
        { "columns", found.columns }, { "lengths", std::move(lengths) }, { "notices", found.notices } };
}

/// The report as one JSON object, with the refused rows written one by one.
void writeJson(std::ostream& out, const ordered_json& report, const std::vector<RefusedRow>& refused, bool severalFiles)
{
    constexpr auto replace = ordered_json::error_handler_t::replace;
    std::string text = report.dump(-1, ' ', false, replace);
    text.pop_back();
    out << text << ",\"refused\":[";
    for (const RefusedRow& row : refused) {
        ordered_json entry { { "line", row.line }, { "reason", row.reason } };
        if (severalFiles) {
            entry["file"] = row.file;
        }
        out << (&row == &refused.front() ? "" : ",") << entry.dump(-1, ' ', false, replace);
    }
    out << "]}\n";
}

void writeText(std::ostream& out, const ordered_json& report, const std::vector<RefusedRow>& refused, bool severalFiles)
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
    for (const RefusedRow& row : refused) {
        out << "refused: " << (severalFiles ? row.file + ", " : "") << "line " << row.line << ": " << row.reason
            << '\n';
    }
}

/// How far reading has come, on a line that is written over; nothing where nobody looks.
class ReadingProgress {
public:
    explicit ReadingProgress(const Console& console)
        : m_err(console.err)
        , m_isShown(::isatty(STDERR_FILENO) == 1)
    {
    }
    ~ReadingProgress()
    {
        if (m_isShown && m_percent >= 0) {
            m_err << "\r\x1b[K" << std::flush;
        }
    }
    ReadingProgress(const ReadingProgress&) = delete;
    ReadingProgress& operator=(const ReadingProgress&) = delete;

    void show(size_t done, size_t all)
    {
        constexpr size_t hundred = 100;
        const auto percent = static_cast<int>(done * hundred / std::max<size_t>(all, 1));
        if (m_isShown && percent != std::exchange(m_percent, percent)) {
            m_err << "\r\x1b[Kreading " << all << " rows: " << percent << " %" << std::flush;
        }
    }

private:
    std::ostream& m_err;
    bool m_isShown;
    int m_percent = -1;
};

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
    const auto found = [&] {
        ReadingProgress progress(console);
        return inspectDataset(
            options.files, choice.values, setup, [&progress](size_t done, size_t all) { progress.show(done, all); });
    }();
    if (!found) {
        return tl::unexpected(found.error());
    }
    const bool severalFiles = options.files.size() > 1 || std::filesystem::is_directory(options.files.front());
    const ordered_json report = reportOf(*found, lengthReport(found->extents, choice.values));
    (console.json ? writeJson : writeText)(console.out, report, found->refused, severalFiles);
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
