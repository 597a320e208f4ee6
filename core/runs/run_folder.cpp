#include "core/runs/run_folder.h"

#include "core/base/files.h"
#include "core/base/system_reason.h"
#include "core/config/number_text.h"
#include "core/config/options.h"
#include "core/runs/run_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace tunebench {

namespace fs = std::filesystem;

namespace {

constexpr size_t longestName = 100; // bytes
/// Room on the disk that a run keeps for its last word: summary.json twice over, in the disk's blocks.
constexpr size_t reserveSize = 16384; // bytes
constexpr const char* reserveName = ".reserve";

std::string written(const nlohmann::ordered_json& value, int indent)
{
    return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string formatted(const std::tm& time, const char* format)
{
    std::array<char, 64> buffer {};
    return { buffer.data(), std::strftime(buffer.data(), buffer.size(), format, &time) };
}

/// The model's name as part of a folder name: lower case, other characters than letters, digits, '.' and '_' as '-'.
std::string modelSlug(const std::string& model)
{
    const fs::path path = lastPathPart(model);
    const std::string name = path.extension() == ".gguf" ? path.stem().string() : path.string();
    constexpr size_t longest = 60;
    std::string slug;
    for (const char c : name.substr(0, longest)) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
        slug += upper ? static_cast<char>(c - 'A' + 'a') : (kept ? c : '-');
    }
    return slug.find_first_not_of("-._") == std::string::npos ? "model" : slug;
}

std::string automaticName(const RunConfig& config)
{
    const std::time_t now = std::time(nullptr);
    std::tm local {};
    ::localtime_r(&now, &local);
    return formatted(local, "%Y-%m-%d-%H%M-") + modelSlug(config.model);
}

tl::unexpected<Error> cannotMake(const fs::path& path, const std::error_code& problem)
{
    return failure("Cannot make the folder " + path.string() + ": " + systemReason(problem.value()) + ".", Fault::work);
}

/// Makes the folder of a new run; an automatic name gets a number when it is taken.
Result<fs::path> makeFolder(const fs::path& runs, const std::string& name, const RunConfig& config)
{
    std::error_code problem;
    fs::create_directories(runs, problem);
    if (problem) {
        return cannotMake(runs, problem);
    }
    const std::string wanted = name.empty() ? automaticName(config) : name;
    for (int number = 1;; ++number) {
        const fs::path path = runs / (number == 1 ? wanted : wanted + "-" + std::to_string(number));
        const bool made = fs::create_directory(path, problem);
        if (made) {
            return path;
        }
        if (problem && problem != std::errc::file_exists) {
            return cannotMake(path, problem);
        }
        if (const auto taken = checkRunName(runs, name); !taken) {
            return tl::unexpected(taken.error());
        }
    }
}

} // namespace

Result<void> checkRunName(const fs::path& runs, const std::string& name)
{
    if (const auto wrong = runNameProblem(name)) {
        return failure(*wrong);
    }
    std::error_code ignored;
    if (fs::exists(runs, ignored) && !fs::is_directory(runs, ignored)) {
        return failure(runs.string() + " is not a folder, so no runs can be kept there; choose another one.");
    }
    if (!name.empty() && fs::exists(runs / name, ignored)) {
        return failure("There is already a run " + (runs / name).string() + "; choose another name.");
    }
    return {};
}

std::string lastPathPart(const std::string& path)
{
    const fs::path normal = fs::path(path).lexically_normal();
    return normal.has_filename() ? normal.filename().string() : normal.parent_path().filename().string();
}

std::string timeNow()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc {};
    ::gmtime_r(&now, &utc);
    return formatted(utc, "%Y-%m-%dT%H:%M:%SZ");
}

std::optional<std::string> runNameProblem(const std::string& name)
{
    if (name.empty()) {
        return std::nullopt;
    }
    if (trimmed(name).size() != name.size()) {
        return "A run's name must not begin or end with a space.";
    }
    if (name.size() > longestName) {
        return "A run's name must not be longer than " + std::to_string(longestName) + " bytes.";
    }
    if (name.front() == '.') {
        return "A run's name must not begin with a dot.";
    }
    for (const char c : name) {
        if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            return "A run's name must not hold slashes or control characters.";
        }
    }
    return std::nullopt;
}

struct RunFolder::State {
    fs::path path;
    RunLock lock;
    int metrics;
    int folder; ///< kept open, so that another one cannot be taken for it

    State(fs::path folderPath, RunLock held, int file)
        : path(std::move(folderPath))
        , lock(std::move(held))
        , metrics(file)
        , folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State()
    {
        ::close(metrics);
        if (folder >= 0) {
            ::close(folder);
        }
        releaseReserve();
    }

    bool isThere() const
    {
        struct stat there { };
        struct stat held { };
        return ::stat(path.c_str(), &there) == 0 && ::fstat(folder, &held) == 0 && there.st_dev == held.st_dev
            && there.st_ino == held.st_ino;
    }

    /// True when there was room to give back.
    bool releaseReserve() const
    {
        std::error_code ignored;
        return fs::remove(path / reserveName, ignored);
    }
};

RunFolder::RunFolder(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder& RunFolder::operator=(RunFolder&&) noexcept = default;
RunFolder::~RunFolder() = default;

Result<RunFolder> RunFolder::hold(const fs::path& path)
{
    auto lock = RunLock::acquire(path);
    if (!lock) {
        return tl::unexpected(lock.error());
    }
    const fs::path metrics = path / "metrics.jsonl";
    const int file = ::open(metrics.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        return failure("Cannot write " + metrics.string() + ": " + systemReason(errno) + ".", Fault::work);
    }
    RunFolder folder(std::make_unique<State>(path, std::move(*lock), file));
    // Not zeros: a file system that compresses would keep no room for those.
    std::mt19937 noise; // NOLINT(bugprone-random-generator-seed, cert-msc51-cpp)
    std::string bytes(reserveSize, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(noise()); });
    if (const auto reserved = writeFileAtomically(path / reserveName, bytes); !reserved) {
        return tl::unexpected(reserved.error());
    }
    return folder;
}

Result<RunFolder> RunFolder::create(const fs::path& runs, const std::string& name, const RunConfig& config)
{
    if (const auto problem = runNameProblem(name)) {
        return failure(*problem);
    }
    const RunConfig resolved = withResolvedPaths(config);
    const auto path = makeFolder(runs, name, resolved);
    if (!path) {
        return tl::unexpected(path.error());
    }
    auto folder = hold(*path);
    auto filled = folder.map([](const RunFolder&) {}).and_then([&] { return folder->writeConfig(resolved); });
    if (filled) {
        RunSummary summary;
        summary.startedAt = timeNow();
        filled = folder->writeSummary(summary);
    }
    if (!filled) {
        folder = tl::unexpected(filled.error());
        std::error_code ignored;
        fs::remove_all(*path, ignored);
    }
    return folder;
}

Result<RunFolder> RunFolder::reopen(const fs::path& path)
{
    auto folder = hold(path);
    if (!folder) {
        return folder;
    }
    removeLeftovers(path);
    removeLeftovers(path / "checkpoints");
    const fs::path metrics = path / "metrics.jsonl";
    return readFile(metrics).and_then([&](const std::string& text) -> Result<RunFolder> {
        const size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
        if (whole < text.size() && ::ftruncate(folder->m_state->metrics, static_cast<off_t>(whole)) != 0) {
            return failure("Cannot write " + metrics.string() + ": " + systemReason(errno) + ".", Fault::work);
        }
        return std::move(*folder);
    });
}

Result<void> RunFolder::check() const
{
    if (m_state->isThere()) {
        return {};
    }
    return failure("The run's folder " + path().string()
            + " was removed, moved or replaced while the run went on; put it back, or start a new run.",
        Fault::work);
}

const fs::path& RunFolder::path() const
{
    return m_state->path;
}

Result<void> RunFolder::writeConfig(const RunConfig& resolved)
{
    return writeFileAtomically(path() / "config.json", written(configToJson(resolved), 2));
}

Result<void> RunFolder::writeEnvironment(const nlohmann::ordered_json& environment)
{
    return writeFileAtomically(path() / "environment.json", written(environment, 2));
}

Result<void> RunFolder::writeSummary(const RunSummary& summary)
{
    const std::string text = written(summaryToJson(summary), 2);
    auto done = writeFileAtomically(path() / "summary.json", text);
    if (!done && m_state->releaseReserve()) {
        done = writeFileAtomically(path() / "summary.json", text);
    }
    return done;
}

Result<void> RunFolder::append(const Metrics& metrics)
{
    const std::string line = written(metricsToJson(metrics), -1);
    struct stat before { };
    const bool known = ::fstat(m_state->metrics, &before) == 0;
    ssize_t count = 0;
    do {
        count = ::write(m_state->metrics, line.data(), line.size());
    } while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(line.size())) {
        return {};
    }
    const std::string reason = systemReason(count < 0 ? errno : ENOSPC);
    const bool restored = count <= 0 || (known && ::ftruncate(m_state->metrics, before.st_size) == 0);
    return failure("Cannot add to " + (path() / "metrics.jsonl").string() + ": " + reason
            + (restored ? "." : " (its last line is cut)."),
        Fault::work);
}

} // namespace tunebench
