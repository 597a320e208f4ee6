#include "app/cli/command_line.h"

#include "core/runs/run_library.h"

#include <exception>
#include <ostream>
#include <poll.h>
#include <unistd.h>

namespace tunebench {

namespace {

/// Whether the other end of standard output has gone: a pipe to a program that has read enough, a closed terminal.
/// Nobody misses the rest then.
bool readerIsGone()
{
    pollfd output { STDOUT_FILENO, POLLOUT, 0 };
    return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

} // namespace

CommandLine::CommandLine()
    : m_app("Fine-tune small language models on your own machine.", "tunebench-cli")
{
    m_app.require_subcommand(1);
    m_app.set_version_flag("--version", TUNEBENCH_VERSION);
}

CLI::App* CommandLine::add(const std::string& name, const std::string& description, CommandAction action)
{
    CLI::App* command = m_app.add_subcommand(name, description);
    command->add_flag("--json", m_json, "Write JSON and nothing else to standard output");
    command->callback([this, action = std::move(action)] { m_chosen = action; });
    return command;
}

Result<int> CommandLine::parseAndAct(int argc, const char* const* argv, Console& console)
{
    try {
        m_app.parse(argc, argv);
    } catch (const CLI::Success& asked) { // --help, --version
        return m_app.exit(asked, console.out, console.err);
    } catch (const CLI::ParseError& problem) {
        std::string sentence = problem.what();
        std::replace(sentence.begin(), sentence.end(), '\n', ' ');
        const auto chosen = m_app.get_subcommands();
        if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
            sentence = "There is no command \"" + std::string(argv[1]) + "\"";
        }
        return failure(
            sentence + "; see `tunebench-cli " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help`.");
    }
    console.json = m_json;
    return m_chosen(console);
}

int CommandLine::run(int argc, const char* const* argv, Console& console)
{
    Result<int> status = failure("");
    try {
        status = parseAndAct(argc, argv, console);
    } catch (const std::bad_alloc&) {
        status = failure("There is not enough memory for this.", Fault::work);
    } catch (const std::exception& problem) {
        status = failure(std::string("The work failed: ") + problem.what(), Fault::work);
    }
    if (!console.out.flush() && status && *status == 0 && !readerIsGone()) {
        status = failure("Cannot write the result; is the disk full?", Fault::work);
    }
    if (status) {
        return *status;
    }
    console.err << "tunebench-cli: " << status.error().message << std::endl;
    return status.error().fault == Fault::input ? 2 : 1;
}

void addTextCommands(CommandLine& line)
{
    for (auto add : { addRuns, addInspect, addTokenize, addRender, addExport, addOptions }) {
        add(line);
    }
}

void addRunsOption(CLI::App* command, std::string& folder)
{
    folder = defaultRunsDirectory().string();
    command->add_option("--runs", folder, "Folder of the saved runs")->type_name("DIR")->capture_default_str();
}

} // namespace tunebench
