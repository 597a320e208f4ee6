#include "app/cli/command_line.h"

#include "core/runs/run_library.h"

#include <memory>
#include <ostream>

namespace tunebench {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::string run;
    std::string runs;
    std::string format;
    std::string output;
};

/// Copies a folder whole: beside the target first, then renamed, so that the target is complete or absent.
Result<void> copyFolder(const fs::path& from, const fs::path& to)
{
    std::error_code problem;
    if (fs::exists(to, problem) && !(fs::is_directory(to, problem) && fs::is_empty(to, problem))) {
        return failure("There is already something at " + to.string() + "; choose another path.");
    }
    const fs::path parent = to.parent_path();
    const fs::path beside = parent / ("." + to.filename().string() + ".part");
    fs::create_directories(parent, problem);
    if (!problem) {
        fs::remove_all(beside, problem);
        fs::copy(from, beside, fs::copy_options::recursive, problem);
    }
    if (!problem) {
        fs::rename(beside, to, problem);
    }
    if (problem) {
        const std::string reason = problem.message();
        fs::remove_all(beside, problem);
        return failure("Cannot write " + to.string() + ": " + reason + ".", Fault::work);
    }
    return {};
}

Result<int> exportRun(Console& console, const Options& options)
{
    const auto run = findRun(options.runs, options.run);
    if (!run) {
        return tl::unexpected(run.error());
    }
    const fs::path adapter = run->path / "adapter";
    std::error_code problem;
    if (!fs::is_directory(adapter, problem)) {
        return failure(run->name + " has no adapter: a run has one when it has ended and its method is lora.");
    }
    if (options.output.empty()) {
        return failure("-o needs the path of the folder to write.");
    }
    fs::path output = fs::absolute(options.output).lexically_normal();
    if (!output.has_filename()) {
        output = output.parent_path();
    }
    if (const auto inside = output.lexically_relative(fs::absolute(adapter).lexically_normal());
        !inside.empty() && *inside.begin() != "..") {
        return failure("Cannot export the adapter into itself; choose a path outside of " + adapter.string() + ".");
    }
    if (const auto copied = copyFolder(adapter, output); !copied) {
        return tl::unexpected(copied.error());
    }
    if (console.json) {
        writeJsonLine(console.out, { { "format", options.format }, { "path", output.string() } });
    } else {
        console.out << output.string() << '\n';
    }
    return 0;
}

} // namespace

void addExport(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("export", "Copy the result of a run to where other tools load it",
        [options](Console& console) { return exportRun(console, *options); });
    command->add_option("RUN", options->run, "Name or folder of the run")->required();
    command->add_option("--format", options->format, "adapter: a PEFT LoRA folder")
        ->required()
        ->check(CLI::IsMember({ "adapter" }));
    command->add_option("-o,--output", options->output, "Folder to make")->required()->type_name("PATH");
    addRunsOption(command, options->runs);
}

} // namespace tunebench
