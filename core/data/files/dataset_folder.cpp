#include "core/data/files/dataset_folder.h"

#include "core/data/files/dataset_files.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

constexpr int mostDepth = 5; ///< of folders in the folder
constexpr size_t mostEntries = 20'000; ///< more, and it is somebody's home

enum class Part { training, validation, test };

/// What is in a folder, by names within it.
struct Contents {
    std::vector<std::string> training, validation, test;
    std::vector<std::string> others;

    std::vector<std::string>& of(Part part)
    {
        return part == Part::test ? test : part == Part::validation ? validation : training;
    }
};

/// The split that a name within the folder tells by one of its words; the file's own name counts first.
Part partOf(const std::string& name)
{
    constexpr std::array<std::pair<std::string_view, Part>, 10> known { { { "train", Part::training },
        { "training", Part::training }, { "validation", Part::validation }, { "valid", Part::validation },
        { "dev", Part::validation }, { "val", Part::validation }, { "test", Part::test }, { "testing", Part::test },
        { "eval", Part::test }, { "evaluation", Part::test } } };
    const std::string words = lowered(name);
    for (size_t end = words.size(); end > 0;) {
        size_t begin = end;
        while (begin > 0 && words[begin - 1] >= 'a' && words[begin - 1] <= 'z')
            --begin;
        const std::string_view word = std::string_view(words).substr(begin, end - begin);
        const auto* const at
            = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == word; });
        if (at != known.end())
            return at->second;
        end = begin > 0 ? begin - 1 : 0;
    }
    return Part::training;
}

/// Whether a file of a known kind holds no rows all the same: it is about the dataset, or lies beside it.
bool describesDataset(const std::string& path)
{
    constexpr std::array names { "dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json",
        "metadata.json", "croissant.json", "config.json", "tokenizer.json", "tokenizer_config.json", "package.json",
        "readme.txt", "license.txt", "licence.txt", "requirements.txt", "citation.txt", "changelog.txt" };
    const std::string name = lowered(fs::path(path).filename().string());
    return std::find(names.begin(), names.end(), name) != names.end();
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

Result<Contents> contentsOf(const std::string& folder)
{
    Contents contents;
    std::error_code problem;
    size_t entries = 0;
    for (auto entry = fs::recursive_directory_iterator(folder, problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        if (++entries > mostEntries)
            return failure("The folder " + folder + " holds more than " + std::to_string(mostEntries)
                + " files and folders; choose the one with the dataset in it.");
        const std::string name = entry->path().lexically_relative(folder).string();
        std::error_code unknown;
        const bool isFolder = entry->is_directory(unknown);
        if (entry->path().filename().string().starts_with('.') || (isFolder && entry.depth() >= mostDepth)) {
            entry.disable_recursion_pending();
            continue;
        }
        if (isFolder) {
            if (entry->is_symlink(unknown)) // which may lead round in a circle
                contents.others.push_back(name + "/");
            continue;
        }
        if (entry->is_regular_file(unknown) && fileKind(name) && !describesDataset(name))
            contents.of(partOf(name)).push_back(name);
        else
            contents.others.push_back(name);
    }
    if (problem)
        return failure("Cannot read the folder " + folder + ": " + problem.message() + ".");
    for (auto* names : { &contents.training, &contents.validation, &contents.test, &contents.others })
        std::sort(names->begin(), names->end());
    return contents;
}

std::string noticeOf(
    const std::string& folder, const std::vector<std::string>& taken, const Contents& contents, bool isPart)
{
    std::string apart;
    for (const auto& [part, names] :
        { std::pair("validation", &contents.validation), std::pair("test", &contents.test) }) {
        if (!isPart && !names->empty())
            apart += "; " + std::string(part)
                + " files stay out of training (choose them as eval_dataset): " + firstOf(*names);
    }
    const bool isFlat = std::all_of(
        taken.begin(), taken.end(), [](const std::string& name) { return name.find('/') == std::string::npos; });
    if (isFlat && !isPart && apart.empty() && contents.others.empty())
        return {};
    return "Of the folder " + folder + ", " + std::to_string(taken.size())
        + (taken.size() == 1 ? " file is read: " : " files are read: ") + firstOf(taken) + apart
        + (contents.others.empty() ? "" : "; left out: " + firstOf(contents.others)) + ".";
}

} // namespace

Result<DatasetFolder> readDatasetFolder(const std::string& folder)
{
    auto contents = contentsOf(folder);
    if (!contents)
        return tl::unexpected(contents.error());
    const bool isPart = contents->training.empty();
    if (isPart && !contents->validation.empty() && !contents->test.empty())
        return failure("The folder " + folder + " holds a validation and a test split, but nothing to train on: "
            + firstOf(contents->validation) + "; " + firstOf(contents->test) + ". Choose the files of one of them.");
    const auto& taken = !isPart ? contents->training : contents->test.empty() ? contents->validation : contents->test;
    if (taken.empty())
        return failure("The folder " + folder + " holds no file of rows (" + knownFileKinds() + ")"
            + (contents->others.empty() ? "; it is empty." : "; in it are " + firstOf(contents->others) + "."));
    DatasetFolder found { {}, noticeOf(folder, taken, *contents, isPart) };
    for (const std::string& name : taken)
        found.files.push_back((fs::path(folder) / name).string());
    return found;
}

} // namespace tunebench
