#include "core/runs/run_library.h"

#include "core/base/files.h"
#include "core/config/options.h"
#include "core/runs/run_lock.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace tunebench {

namespace fs = std::filesystem;

namespace {

bool isDirectory(const fs::path& path)
{
    std::error_code problem;
    return fs::is_directory(path, problem);
}

bool looksLikeRun(const fs::path& path)
{
    std::error_code problem;
    constexpr std::array files { "config.json", "summary.json", "metrics.jsonl", "lock" };
    return std::any_of(files.begin(), files.end(), [&](const char* file) { return fs::exists(path / file, problem); });
}

RunRecord readRecord(const fs::path& path)
{
    RunRecord record;
    record.path = path;
    record.name = lastPathPart(path.string());
    if (const auto config = readRunConfig(path)) {
        record.model = lastPathPart(config->model);
    } else {
        record.problem = config.error().message;
    }
    const auto text = readFile(path / "summary.json");
    const auto summary = text ? summaryFromJson(*text) : std::nullopt;
    if (summary) {
        record.summary = *summary;
    } else {
        record.problem = text ? (path / "summary.json").string() + " is damaged." : text.error().message;
    }
    const bool goesOn = record.summary.state == RunState::running || record.summary.state == RunState::paused;
    if (goesOn && !RunLock::isHeld(path)) {
        record.summary.state = RunState::interrupted;
    }
    return record;
}

/// Step order, and only the last line of each step.
template <class Record> void keepLastOfEachStep(std::vector<Record>& records)
{
    const auto earlier = [](const Record& left, const Record& right) { return left.step < right.step; };
    if (!std::is_sorted(records.begin(), records.end(), earlier)) {
        std::stable_sort(records.begin(), records.end(), earlier);
    }
    size_t kept = 0;
    for (size_t i = 0; i < records.size(); ++i) {
        if (kept > 0 && records[kept - 1].step == records[i].step) {
            --kept;
        }
        if (kept != i) {
            records[kept] = std::move(records[i]);
        }
        ++kept;
    }
    records.resize(kept);
}

void keepLastOfEachStep(std::vector<AnswerMetrics>& answers)
{
    std::stable_sort(answers.begin(), answers.end(),
        [](const AnswerMetrics& left, const AnswerMetrics& right) { return left.step < right.step; });
    std::vector<AnswerMetrics> kept;
    for (AnswerMetrics& answer : answers) {
        const auto earlier = std::find_if(kept.begin(), kept.end(),
            [&](const AnswerMetrics& one) { return one.step == answer.step && one.prompt == answer.prompt; });
        if (earlier == kept.end()) {
            kept.push_back(std::move(answer));
        } else {
            *earlier = std::move(answer);
        }
    }
    answers = std::move(kept);
}

} // namespace

fs::path defaultRunsDirectory()
{
    return dataDirectory() / "runs";
}

std::vector<RunRecord> listRuns(const fs::path& runs)
{
    std::vector<RunRecord> records;
    std::error_code problem;
    for (fs::directory_iterator entry(runs, problem), end; !problem && entry != end; entry.increment(problem)) {
        if (!entry->path().filename().string().starts_with('.') && isDirectory(entry->path())) {
            records.push_back(readRecord(entry->path()));
        }
    }
    std::sort(records.begin(), records.end(), [](const RunRecord& left, const RunRecord& right) {
        return std::tie(left.summary.startedAt, left.name) > std::tie(right.summary.startedAt, right.name);
    });
    return records;
}

Result<RunRecord> findRun(const fs::path& runs, const std::string& nameOrPath)
{
    const bool isName = !nameOrPath.empty() && nameOrPath.find('/') == std::string::npos && nameOrPath.front() != '.';
    if (isName && isDirectory(runs / nameOrPath)) {
        return readRecord(runs / nameOrPath);
    }
    if (!nameOrPath.empty() && looksLikeRun(nameOrPath)) {
        return readRecord(fs::absolute(nameOrPath));
    }
    return failure("There is no run \"" + nameOrPath + "\" in " + runs.string() + "; `tunebench-cli runs` lists them.");
}

Result<RunCurves> readCurves(const fs::path& run)
{
    const fs::path path = run / "metrics.jsonl";
    std::ifstream file(path, std::ios::binary);
    if (!file || isDirectory(path)) {
        return failure("Cannot read " + path.string() + "; the run has no metrics.");
    }
    RunCurves curves;
    std::string line;
    while (std::getline(file, line)) {
        const auto metrics = metricsFromJson(line);
        if (!metrics) {
            continue;
        }
        if (const auto* step = std::get_if<StepMetrics>(&*metrics)) {
            curves.steps.push_back(*step);
        } else if (const auto* evaluation = std::get_if<EvalMetrics>(&*metrics)) {
            curves.evaluations.push_back(*evaluation);
        } else {
            curves.answers.push_back(std::get<AnswerMetrics>(*metrics));
        }
    }
    keepLastOfEachStep(curves.steps);
    keepLastOfEachStep(curves.evaluations);
    keepLastOfEachStep(curves.answers);
    return curves;
}

Result<RunConfig> readRunConfig(const fs::path& run)
{
    return configFromFile((run / "config.json").string()).map([](const ConfigChoice& choice) { return choice.values; });
}

Result<void> deleteRun(const fs::path& run)
{
    if (!looksLikeRun(run)) {
        return failure(run.string() + " is not a run.");
    }
    const auto lock = RunLock::acquire(run);
    if (!lock) {
        return tl::unexpected(lock.error());
    }
    std::error_code problem;
    const fs::path hidden = fs::absolute(run / "..").lexically_normal() / (".deleted-" + lastPathPart(run.string()));
    fs::remove_all(hidden, problem);
    fs::rename(run, hidden, problem);
    if (problem) {
        return failure("Cannot delete " + run.string() + ": " + problem.message() + ".", Fault::work);
    }
    fs::remove_all(hidden, problem);
    return {};
}

} // namespace tunebench
