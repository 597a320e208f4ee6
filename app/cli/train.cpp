#include "app/cli/config_arguments.h"
#include "app/cli/engine_commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/train_output.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

namespace tunebench {

namespace {

struct Options : ConfigArguments {
    std::string runs;
    std::string name;
    std::string until;
};

/// Hours from now until the time of day comes next, such as 07:30.
std::optional<double> hoursUntil(const std::string& timeOfDay)
{
    std::tm wanted {};
    const char* const end = ::strptime(timeOfDay.c_str(), "%H:%M", &wanted);
    if (end == nullptr || *end != '\0') {
        return std::nullopt;
    }
    const std::time_t now = std::time(nullptr);
    std::tm day {};
    ::localtime_r(&now, &day);
    day.tm_hour = wanted.tm_hour;
    day.tm_min = wanted.tm_min;
    day.tm_sec = 0;
    day.tm_isdst = -1;
    std::time_t then = std::mktime(&day);
    if (then <= now) {
        ++day.tm_mday;
        day.tm_isdst = -1;
        then = std::mktime(&day);
    }
    constexpr double secondsAnHour = 3600;
    return std::difftime(then, now) / secondsAnHour;
}

/// Follows the run to its end. The run folder is written by the trainer, so a slow terminal does not hold it up.
void follow(Trainer& trainer, TrainOutput& output)
{
    constexpr auto pause = std::chrono::milliseconds(50);
    bool stopping = false;
    while (true) {
        const bool finished = trainer.finished();
        for (const TrainerEvent& event : trainer.drain()) {
            output.show(event);
        }
        if (finished) {
            return;
        }
        if (!stopping && Interrupt::signal()) {
            stopping = true;
            trainer.stop();
        }
        std::this_thread::sleep_for(pause);
    }
}

Result<int> runJob(Console& console, TrainingJob job)
{
    const Interrupt interrupt;
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away (`| head`) ends no run
    TrainOutput output(console, !console.json && ::isatty(STDOUT_FILENO) == 1);
    Trainer trainer(std::move(job));
    follow(trainer, output);
    output.endProgress();
    const auto run = trainer.outcome();
    const auto signal = Interrupt::signal();
    if (run) {
        output.finish(*run);
    } else if (!signal) { // stopped while it read its inputs, a run has no folder and did not fail
        return tl::unexpected(run.error());
    }
    return signal ? 128 + *signal : 0;
}

Result<int> train(Console& console, const Options& options)
{
    auto choice = readChoice(options);
    if (!choice) {
        return tl::unexpected(choice.error());
    }
    if (const auto problem = runNameProblem(options.name)) {
        return failure(*problem);
    }
    if (!options.until.empty()) {
        choice->values.maxHours = hoursUntil(options.until);
        choice->set.insert("max_hours");
        if (!choice->values.maxHours) {
            return failure("--until wants a time of day such as 07:30, not \"" + options.until + "\".");
        }
    }
    return runJob(console, { std::move(*choice), options.runs, options.name });
}

Result<int> resume(Console& console, const Options& options)
{
    return readChoice(options).and_then([&](ConfigChoice choice) {
        return runJob(console, { std::move(choice), options.runs, options.name, true });
    });
}

} // namespace

void addTrain(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add(
        "train", "Train, and keep the run", [options](Console& console) { return train(console, *options); });
    addConfigArguments(command, *options);
    command->add_option("--name", options->name, "Name of the run; without one, date and model");
    command->add_option("--until", options->until, "Time of day at which the run ends (07:30), instead of max_hours")
        ->type_name("HH:MM");
    addRunsOption(command, options->runs);
    command->footer("The options: tunebench-cli options");
}

void addResume(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("resume", "Go on with a run from its newest checkpoint, as if it had never stopped",
        [options](Console& console) { return resume(console, *options); });
    command->add_option("RUN", options->name, "Name of the run, or its folder")->required();
    command->add_option("--set", options->assignments, "Option that changes from here on, as key=value (epochs=3)")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    addRunsOption(command, options->runs);
}

} // namespace tunebench
