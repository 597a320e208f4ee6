#include "app/gui/engine_run.h"
#include "app/gui/termination.h"
#include "core/base/files.h"
#include "core/memory/automatic_types.h"
#include "core/runs/run_library.h"
#include "core/train/doctor.h"
#include "core/train/probe.h"
#include "core/train/remedies.h"
#include "ui/base/app_icon.h"
#include "ui/window/main_window.h"
#include "ui/window/settings.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QTimer>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace {

constexpr int inputError = 2;

struct Arguments {
    std::string config;
    std::string runs = tunebench::defaultRunsDirectory().string();
    bool start = false;
};

/// Reads the command line; the exit status when the program ends there already.
std::optional<int> parse(Arguments& arguments, int argc, char** argv)
{
    CLI::App parser("Tunebench: fine-tune small language models on your own machine", "tunebench");
    parser.set_version_flag("--version", "tunebench " TUNEBENCH_VERSION);
    parser.add_option("CONFIG", arguments.config, "Config file (JSON) to open");
    parser.add_option("--runs", arguments.runs, "Folder of the saved runs")->type_name("DIR");
    parser.add_flag("--start", arguments.start, "Start training at once");
    try {
        parser.parse(argc, argv);
    } catch (const CLI::Success& done) {
        return parser.exit(done);
    } catch (const CLI::ParseError& problem) {
        std::fprintf(stderr, "tunebench: %s; see tunebench --help.\n", problem.what());
        return inputError;
    }
    return std::nullopt;
}

/// Qt ends the program when there is no screen; this says it in a sentence.
void sayNoDisplay(QtMsgType type, const QMessageLogContext&, const QString&)
{
    if (type == QtFatalMsg) {
        std::fputs(
            "tunebench: There is no display to open the window on; start it from a desktop, or train in the terminal "
            "with tunebench-cli train.\n",
            stderr);
        std::_Exit(1);
    }
}

tunebench::Result<tunebench::KnownTypes> knownTypes(const tunebench::RunConfig& config)
{
    return tunebench::resolveAutomatic(config).map([](const tunebench::RunConfig& resolved) {
        return tunebench::KnownTypes { resolved, tunebench::knownDevice(resolved.device) };
    });
}

/// A machine that has not been measured is measured first: else there is no planned time to lay beside.
tunebench::Result<tunebench::Probe> probe(const tunebench::ConfigChoice& choice, const std::stop_token& stop)
{
    tunebench::knownMachine(stop);
    return tunebench::probeRun(
        choice, [](const std::string&, bool) {}, stop); // the form has said what there is to say
}

} // namespace

int main(int argc, char** argv)
{
    Arguments arguments;
    if (const auto status = parse(arguments, argc, argv)) {
        return *status;
    }
    const auto usual = qInstallMessageHandler(sayNoDisplay);
    const QApplication application(argc, argv);
    qInstallMessageHandler(usual);
    QApplication::setOrganizationName(QStringLiteral("tunebench"));
    QApplication::setApplicationName(QStringLiteral("tunebench"));
    QApplication::setApplicationVersion(QStringLiteral(TUNEBENCH_VERSION));
    QApplication::setWindowIcon(tunebench::appIcon());
    tunebench::applyTheme(tunebench::storedTheme());

    tunebench::MainWindow window(
        [](tunebench::TrainingJob job) { return std::make_unique<tunebench::EngineRun>(std::move(job)); },
        { tunebench::planMemory, tunebench::planRemedies, knownTypes, tunebench::freeMemoryOfThisMachine(),
            [](const auto& config, const auto& spec, const auto& extents, auto detail) {
                return tunebench::planModel(config, spec, extents, detail);
            },
            probe },
        { std::filesystem::absolute(arguments.runs), tunebench::dataDirectory() / "last_config.json" });
    if (!arguments.config.empty()) {
        if (const auto opened = window.openConfig(QString::fromStdString(arguments.config)); !opened) {
            std::fprintf(stderr, "tunebench: %s\n", opened.error().message.c_str());
            return inputError;
        }
    }
    const tunebench::Termination termination;
    QObject::connect(&termination, &tunebench::Termination::requested, &window, &tunebench::MainWindow::stopAndClose);
    window.show();
    if (arguments.start) {
        QTimer::singleShot(0, &window, &tunebench::MainWindow::startTraining);
    }
    return QApplication::exec();
}
