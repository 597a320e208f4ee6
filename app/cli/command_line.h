#pragma once

#include "app/cli/console.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>

namespace tunebench {

/// What a command does: its exit status, or why it could not.
using CommandAction = std::function<Result<int>(Console&)>;

/// The commands of the program; the one that the user chose is run.
class CommandLine {
public:
    CommandLine();

    /// A new command with --json.
    CLI::App* add(const std::string& name, const std::string& description, CommandAction action);

    /// Reads the arguments and runs the command. Exit status: 0 done, 1 the work failed, 2 the input or the command
    /// line is wrong. An error is one line on `console.err`.
    int run(int argc, const char* const* argv, Console& console);

private:
    Result<int> parseAndAct(int argc, const char* const* argv, Console& console);

    CLI::App m_app;
    bool m_json = false;
    CommandAction m_chosen;
};

void addExport(CommandLine& line);
void addInspect(CommandLine& line);
void addOptions(CommandLine& line);
void addRender(CommandLine& line);
void addRuns(CommandLine& line);
void addTokenize(CommandLine& line);

/// All of those: the commands that need no engine.
void addTextCommands(CommandLine& line);

/// `--runs DIR`, which starts as the folder that the workbench uses.
void addRunsOption(CLI::App* command, std::string& folder);

} // namespace tunebench
