#include "app/cli/engine_commands.h"

#include "core/config/choices.h"
#include "core/train/doctor.h"

#include <memory>
#include <ostream>

namespace tunebench {

namespace {

void writeDevice(std::ostream& out, const DeviceMeasurement& device)
{
    out << '\n'
        << device.device << "  " << device.name << "\n  memory    " << bytesText(device.memoryTotal) << ", "
        << bytesText(device.memoryAvailable) << " available\n";
    if (device.threads > 0) {
        out << "  threads   " << device.threads << '\n';
    }
    for (const TypeMeasurement& type : device.types) {
        out << "  " << choiceName(type.type) << "      "
            << (type.gflops ? fixedText(*type.gflops, 1) + " GFLOP/s" : "no products in this type")
            << (type.passesSelfTest ? "" : ", fails the self-test") << '\n';
    }
    out << "  auto      precision " << choiceName(device.automaticPrecision) << ", compute "
        << choiceName(device.automaticCompute) << ": " << device.reason << '\n';
}

Result<int> examine(Console& console, bool once)
{
    const MachineReport report = once ? knownMachine() : examineMachine();
    if (console.json) {
        writeJsonLine(console.out, reportToJson(report));
        return 0;
    }
    console.out << "LibTorch  " << report.libtorch << "\nNVIDIA    "
                << (report.driver.empty() ? "no driver" : "driver " + report.driver) << '\n';
    for (const DeviceMeasurement& device : report.devices) {
        writeDevice(console.out, device);
    }
    return 0;
}

} // namespace

void addDoctor(CommandLine& line)
{
    const auto once = std::make_shared<bool>(false);
    CLI::App* command = line.add("doctor",
        "What this machine can do: devices, memory, speed of each type; kept for `auto` and the plan",
        [once](Console& console) { return examine(console, *once); });
    command->add_flag("--once", *once, "Measure only where nothing is kept that still holds");
}

} // namespace tunebench
