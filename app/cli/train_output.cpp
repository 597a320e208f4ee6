#include "app/cli/train_output.h"

#include "core/data/files/text_checks.h"

#include <algorithm>
#include <ostream>

namespace tunebench {

using nlohmann::ordered_json;

namespace {

/// The beginning of a text, up to so many bytes, on one line; what would steer the terminal becomes a space.
std::string shortLine(const std::string& text, size_t bytes)
{
    std::string line(cutToCharacter(text, bytes));
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line.size() < text.size() ? line + "..." : line;
}

} // namespace

TrainOutput::TrainOutput(Console& console, bool terminal)
    : m_console(console)
    , m_terminal(terminal)
{
}

void TrainOutput::show(const TrainerEvent& event)
{
    std::visit([this](const auto& one) { write(one); }, event);
    m_console.out.flush();
}

void TrainOutput::write(const LogLine& line)
{
    if (m_console.json) {
        writeJsonLine(m_console.out, { { "type", "log" }, { "text", line.text }, { "warning", line.warning } });
    } else {
        writeLine((line.warning ? "Warning: " : "") + line.text);
    }
}

void TrainOutput::write(const StateChange& change)
{
    m_totalSteps = change.summary.totalSteps;
    if (change.summary.state == RunState::failed && change.summary.outOfMemory) {
        write(*change.summary.outOfMemory);
    }
    if (!m_console.json) {
        return;
    }
    ordered_json line { { "type", "state" } };
    line.update(summaryToJson(change.summary));
    line["run"] = change.run.empty() ? ordered_json() : ordered_json(change.run.string());
    writeJsonLine(m_console.out, line);
}

void TrainOutput::write(const OutOfMemoryReport& report)
{
    if (m_console.json) {
        ordered_json line { { "type", "out_of_memory" } };
        line.update(outOfMemoryToJson(report));
        writeJsonLine(m_console.out, line);
        return;
    }
    endProgress();
    m_console.err << "Out of memory\n";
    constexpr size_t column = 11;
    for (const auto& [name, text] : outOfMemoryFacts(report)) {
        m_console.err << "  " << name << std::string(column - std::min(column - 1, name.size()), ' ') << text << '\n';
    }
    for (const Remedy& remedy : report.remedies) {
        m_console.err << "  - " << remedyLine(remedy) << '\n';
    }
}

void TrainOutput::write(const StepMetrics& step)
{
    if (m_console.json) {
        writeJsonLine(m_console.out, metricsToJson(step));
        return;
    }
    constexpr double weight = 0.8;
    m_secondsPerStep = m_secondsPerStep > 0 ? weight * m_secondsPerStep + (1 - weight) * step.seconds : step.seconds;
    const double left = m_secondsPerStep * static_cast<double>(std::max<int64_t>(m_totalSteps - step.step, 0));
    writeProgress("step " + std::to_string(step.step) + "/" + std::to_string(m_totalSteps) + "  loss "
        + (step.loss ? fixedText(*step.loss, 4) : "-") + "  " + fixedText(step.tokensPerSecond, 0) + " tokens/s  peak "
        + bytesText(step.peakAllocated) + "  " + durationText(left) + " left"
        + (step.note.empty() ? "" : "  " + step.note));
}

void TrainOutput::write(const EvalMetrics& evaluation)
{
    if (m_console.json) {
        writeJsonLine(m_console.out, metricsToJson(evaluation));
    } else {
        writeLine("step " + std::to_string(evaluation.step) + "  held-out loss "
            + (evaluation.loss ? fixedText(*evaluation.loss, 4) : evaluation.note));
    }
}

void TrainOutput::write(const AnswerMetrics& answer)
{
    if (m_console.json) {
        writeJsonLine(m_console.out, metricsToJson(answer));
    } else {
        constexpr size_t asked = 40, said = 120;
        writeLine("step " + std::to_string(answer.step) + "  " + shortLine(answer.prompt, asked) + "  ->  "
            + shortLine(answer.text, said));
    }
}

void TrainOutput::finish(const std::filesystem::path& run)
{
    if (m_console.json) {
        writeJsonLine(m_console.out, { { "type", "run" }, { "run", run.string() } });
        return;
    }
    m_console.out << run.string() << '\n';
}

void TrainOutput::endProgress()
{
    if (m_progressShown) {
        m_console.out << '\n';
        m_console.out.flush();
        m_progressShown = false;
    }
}

void TrainOutput::writeLine(const std::string& text)
{
    if (m_progressShown) {
        m_console.out << "\r\x1b[K";
        m_progressShown = false;
    }
    m_console.out << text << '\n';
}

void TrainOutput::writeProgress(const std::string& text)
{
    if (m_terminal) {
        m_console.out << "\r\x1b[K" << text;
        m_progressShown = true;
    } else {
        writeLine(text);
    }
}

} // namespace tunebench
