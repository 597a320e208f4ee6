#include "core/data/files/dataset_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
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
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return ending;
}

/// "a, b, c and 4 more".
std::string firstOf(const std::vector<std::string>& names)
{
    constexpr size_t most = 5;
    std::string words;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
        words += (i > 0 ? ", " : "") + names[i];
    return words + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

Result<void> addFolder(const std::string& folder, DatasetFiles& found)
{
    std::vector<std::string> files;
    std::vector<std::string> others;
    std::error_code problem;
    for (auto entry = fs::directory_iterator(folder, problem); !problem && entry != fs::directory_iterator();
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with('.'))
            continue;
        std::error_code unknown;
        if (entry->is_regular_file(unknown) && fileKind(name))
            files.push_back(entry->path().string());
        else
            others.push_back(entry->is_directory(unknown) ? name + "/" : name);
    }
    if (problem)
        return failure("Cannot read the folder " + folder + ": " + problem.message() + ".");
    std::sort(files.begin(), files.end());
    std::sort(others.begin(), others.end());
    if (files.empty())
        return failure("The folder " + folder + " holds no file of rows (" + knownFileKinds() + ")"
            + (others.empty() ? "; it is empty." : "; in it are " + firstOf(others) + "."));
    if (!others.empty())
        found.notices.push_back("Of the folder " + folder + ", " + std::to_string(files.size())
            + (files.size() == 1 ? " file is" : " files are") + " read; left out: " + firstOf(others) + ".");
    found.paths.insert(found.paths.end(), files.begin(), files.end());
    return {};
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

Result<DatasetFiles> findDatasetFiles(std::span<const std::string> paths)
{
    DatasetFiles found;
    for (const auto& path : paths) {
        std::error_code unknown;
        if (!fs::is_directory(path, unknown)) {
            found.paths.push_back(path);
        } else if (auto added = addFolder(path, found); !added) {
            return tl::unexpected(added.error());
        }
    }
    if (found.paths.empty())
        return failure("No dataset is chosen; name a file (" + knownFileKinds() + ") or a folder in \"dataset\".");
    return found;
}

} // namespace tunebench
