// How late the window's event loop serves a 10 ms heartbeat while a real run trains on all cores.
//
// Usage: bench_gui_latency [CONFIG.json]
// Without a config: the demo model on the demo dataset, 20 steps. Prints one JSON object; the run is not kept.

#include "app/gui/engine_run.h"
#include "core/train/remedies.h"
#include "ui/form/config_model.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

using namespace tunebench;

namespace {

constexpr double interval = 10; // ms

/// Milliseconds between when each heartbeat was due and when it was served.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setSingleShot(true);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const double now = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
            m_lateness.push_back(std::max(0.0, now - interval));
            beat();
        });
    }

    void beat()
    {
        m_clock.start();
        m_timer.start(static_cast<int>(interval));
    }

    nlohmann::ordered_json report()
    {
        std::sort(m_lateness.begin(), m_lateness.end());
        const auto share = [this](double part) {
            return m_lateness.empty()
                ? 0.0
                : m_lateness[static_cast<size_t>(part * static_cast<double>(m_lateness.size() - 1))];
        };
        return { { "heartbeats", m_lateness.size() }, { "p50_ms", share(0.5) }, { "p99_ms", share(0.99) },
            { "max_ms", share(1) } };
    }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    std::vector<double> m_lateness;
};

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("tunebench-bench"));
    applyTheme(Theme::light);
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    MainWindow window([](TrainingJob job) { return std::make_unique<EngineRun>(std::move(job)); },
        RunPlanner { planMemory, planRemedies }, { root / "runs", root / "last_config.json" });
    window.resize(1440, 900);
    if (argc > 1) {
        if (const auto opened = window.openConfig(QString::fromLocal8Bit(argv[1])); !opened) {
            std::fprintf(stderr, "%s\n", opened.error().message.c_str());
            return 2;
        }
    } else {
        window.config()->edit("max_steps", 20);
    }
    Heartbeat heartbeat;
    int64_t steps = 0;
    QObject::connect(
        window.bridge(), &TrainingBridge::stepsDone, &heartbeat, [&](const std::vector<StepMetrics>& done) {
            // Loading and the first step are served too, but the question is about training.
            if (steps == 0) {
                heartbeat.beat();
            }
            steps += static_cast<int64_t>(done.size());
        });
    int status = 0;
    QObject::connect(window.bridge(), &TrainingBridge::ended, &heartbeat, [&](const RunEnd& end) {
        auto report = heartbeat.report();
        report["steps"] = steps;
        std::printf("%s\n", report.dump().c_str());
        if (end.state == RunState::failed) {
            std::fprintf(stderr, "%s\n", qPrintable(end.message));
            status = 1;
        }
        QTimer::singleShot(0, &window, [] { QApplication::quit(); });
    });
    window.show();
    QTimer::singleShot(0, &window, &MainWindow::startTraining);
    QApplication::exec();
    return status;
}
