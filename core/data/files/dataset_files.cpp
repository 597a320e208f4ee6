#include "core/data/files/dataset_files.h"

#include "core/data/files/dataset_folder.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, FileKind>, 7> kinds { {
    { ".json", FileKind::json },
    { ".jsonl", FileKind::jsonLines },
    { ".ndjson", FileKind::jsonLines },
    { ".csv", FileKind::commaSeparated },
    { ".tsv", FileKind::tabSeparated },
    { ".txt", FileKind::text },
    { ".parquet", FileKind::parquet },
} };

std::string endingOf(const fs::path& path)
{
    return lowered(path.extension().string());
}

/// A notice for each file that is named more than once: its rows count as often.
void addRepeats(DatasetFiles& found)
{
    std::map<fs::path, size_t> times;
    for (const auto& path : found.paths)
        ++times[fs::path(path).lexically_normal()];
    for (const auto& [path, count] : times) {
        if (count > 1)
            found.notices.push_back(
                path.string() + " is named " + std::to_string(count) + " times; its rows are read as often.");
    }
}

} // namespace

std::optional<FileKind> fileKind(const std::string& path)
{
    fs::path name(path);
    if (const std::string packed = endingOf(name); packed == ".gz" || packed == ".zst")
        name = name.stem();
    const std::string ending = endingOf(name);
    const auto* const kind
        = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == ending; });
    return kind == kinds.end() ? std::nullopt : std::optional(kind->second);
}

std::string knownFileKinds()
{
    std::string words;
    for (const auto& [ending, kind] : kinds) {
        words += words.empty() ? "" : ending == kinds.back().first ? " or " : ", ";
        words += ending;
    }
    return words + ", also packed as .gz or .zst";
}

std::string remedyFor(const std::string& path)
{
    constexpr std::array archives { ".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz" };
    constexpr std::array sheets { ".xlsx", ".xls", ".ods" };
    const std::string ending = endingOf(path);
    const std::string inner = endingOf(fs::path(path).stem());
    const auto isOne = [](const auto& endings, const std::string& name) {
        return std::find(endings.begin(), endings.end(), name) != endings.end();
    };
    if (isOne(archives, ending) || inner == ".tar")
        return "it is an archive; unpack it, and choose the files or the folder that were in it.";
    if (isOne(sheets, ending))
        return "it is a spreadsheet; save it as CSV.";
    return "files of its kind are not read; convert it to " + knownFileKinds() + ".";
}

Result<DatasetFiles> findDatasetFiles(std::span<const std::string> paths)
{
    DatasetFiles found;
    for (const auto& path : paths) {
        std::error_code unknown;
        if (!fs::is_directory(path, unknown)) {
            found.paths.push_back(path);
            continue;
        }
        auto folder = readDatasetFolder(path);
        if (!folder)
            return tl::unexpected(folder.error());
        found.paths.insert(found.paths.end(), folder->files.begin(), folder->files.end());
        if (!folder->notice.empty())
            found.notices.push_back(std::move(folder->notice));
    }
    addRepeats(found);
    if (found.paths.empty())
        return failure("No dataset is chosen; name a file (" + knownFileKinds() + ") or a folder in \"dataset\".");
    return found;
}

} // namespace tunebench
