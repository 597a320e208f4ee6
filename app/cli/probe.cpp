#include "app/cli/config_arguments.h"
#include "app/cli/engine_commands.h"
#include "app/cli/grid.h"
#include "app/cli/interrupt.h"

#include "core/train/probe.h"

#include <algorithm>

#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options : ConfigArguments {
    std::vector<std::string> vary;
};

ordered_json probeToJson(const GridCell& cell, const Result<Probe>& probe)
{
    ordered_json json { { "set", cell.set() } };
    if (!probe) {
        json["error"] = probe.error().message;
        return json;
    }
    json["predicted"]
        = { { "peak_allocated", probe->plannedPeak }, { "seconds_per_step", orNull(probe->plannedSeconds) } };
    json["measured"] = { { "peak_allocated", probe->measuredPeak }, { "seconds_per_step", probe->measuredSeconds },
        { "tokens_per_second", probe->tokensPerSecond }, { "spread", probe->spread } };
    return json;
}

void writeProbe(std::ostream& out, const GridCell& cell, const Result<Probe>& probe)
{
    out << (cell.assignments.empty() ? "as given" : cell.title()) << '\n';
    if (!probe) {
        out << "  " << probe.error().message << std::endl;
        return;
    }
    out << "  memory    predicted " << bytesText(probe->plannedPeak) << ", measured " << bytesText(probe->measuredPeak)
        << " (" << probe->measuredPeak - probe->plannedPeak << " bytes apart)\n  a step    "
        << (probe->plannedSeconds ? "predicted " + fixedText(*probe->plannedSeconds, 3) + " s" : probe->noTime)
        << ", measured " << fixedText(probe->measuredSeconds, 3) << " s (spread " << fixedText(probe->spread * 100, 0)
        << " %)\n  speed     " << fixedText(probe->tokensPerSecond, 0) << " tokens/s"
        << std::endl; // each takes a while
}

/// Probes while the main thread watches for Ctrl-C.
Result<Probe> probeInterruptibly(const ConfigChoice& choice, Console& console)
{
    Result<Probe> result;
    std::atomic<bool> done = false;
    std::jthread worker([&](const std::stop_token& stop) {
        const Notice notice = [&](const std::string& text, bool warning) {
            if (warning) {
                console.err << text << '\n';
            }
        };
        result = probeRun(choice, notice, stop);
        done = true;
    });
    constexpr auto pause = std::chrono::milliseconds(50);
    while (!done) {
        if (Interrupt::signal()) {
            worker.request_stop();
        }
        std::this_thread::sleep_for(pause);
    }
    worker.join();
    return result;
}

/// What each combination is worth beside the first one that could be measured.
std::vector<std::string> sentences(const std::vector<GridCell>& cells, const std::vector<Result<Probe>>& probes)
{
    std::vector<std::string> texts;
    std::optional<size_t> first;
    for (size_t i = 0; i < probes.size(); ++i) {
        if (!probes[i]) {
            continue;
        }
        if (first) {
            texts.push_back(probeSentence(cells[i].title(), *probes[i], cells[*first].title(), *probes[*first]));
        } else {
            first = i;
        }
    }
    return texts;
}

Result<int> probe(Console& console, const Options& options)
{
    const auto choice = readChoice(options);
    if (!choice) {
        return tl::unexpected(choice.error());
    }
    const auto cells = gridCells(*choice, "--vary", options.vary);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    const Interrupt interrupt;
    std::vector<Result<Probe>> probes;
    ordered_json results = ordered_json::array();
    for (const GridCell& cell : *cells) {
        probes.push_back(probeInterruptibly(cell.choice, console));
        if (const auto signal = Interrupt::signal()) {
            return 128 + *signal;
        }
        if (!probes.back() && cells->size() == 1) {
            return tl::unexpected(probes.back().error());
        }
        results.push_back(probeToJson(cell, probes.back()));
        if (!console.json) {
            writeProbe(console.out, cell, probes.back());
        }
    }
    const auto texts = sentences(*cells, probes);
    if (console.json) {
        writeJsonLine(console.out, { { "probe", std::move(results) }, { "sentences", texts } });
    } else {
        for (const std::string& text : texts) {
            console.out << text << '\n';
        }
    }
    return std::ranges::any_of(probes, [](const auto& one) { return one.has_value(); }) ? 0 : 1;
}

} // namespace

void addProbe(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("probe", "Try the first steps of a run: predicted beside measured memory and time",
        [options](Console& console) { return probe(console, *options); });
    addConfigArguments(command, *options);
    command
        ->add_option("--vary", options->vary,
            "Option to try with several values (gradient_checkpointing=off,full); may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=A,B");
}

} // namespace tunebench
