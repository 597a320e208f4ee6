#include "ui/runs/curve_cache.h"

#include "ui/base/background.h"

#include <system_error>

namespace tunebench {

namespace {

std::string versionOf(const std::filesystem::path& run)
{
    std::error_code problem;
    const auto size = std::filesystem::file_size(run / "metrics.jsonl", problem);
    return problem ? std::string() : std::to_string(size);
}

} // namespace

std::shared_ptr<const RunCurves> CurveCache::known(const std::filesystem::path& run) const
{
    const auto entry = m_entries.find(run);
    return entry == m_entries.end() ? nullptr : entry->second.curves;
}

void CurveCache::update(const std::filesystem::path& run)
{
    Entry& entry = m_entries[run];
    const std::string version = versionOf(run);
    if (entry.reading || (entry.curves != nullptr && entry.version == version)) {
        return;
    }
    entry.reading = true;
    runInBackground(
        this,
        [run]() -> std::shared_ptr<const RunCurves> {
            // A run without metrics has no curves yet.
            return std::make_shared<RunCurves>(readCurves(run).value_or(RunCurves {}));
        },
        [this, run, version](const std::shared_ptr<const RunCurves>& curves) {
            m_entries[run] = { curves, version, false };
            emit arrived(run);
        });
}

} // namespace tunebench
