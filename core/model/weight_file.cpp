#include "core/model/weight_file.h"

namespace tunebench {
namespace {

/// What git-lfs leaves in a clone in place of a large file (git-lfs, docs/spec.md).
Result<void> refuseStandIns(std::string_view content, const std::filesystem::path& path)
{
    constexpr size_t longestPointer = 1024;
    if (content.empty())
        return failure(path.string() + " is empty (0 bytes); download it again.");
    if (content.size() >= longestPointer || !content.starts_with("version https://git-lfs"))
        return {};
    std::string message
        = path.string() + " is a Git LFS pointer of " + std::to_string(content.size()) + " bytes, not the file itself";
    if (const size_t at = content.find("\nsize "); at != std::string_view::npos) {
        const size_t begin = at + 6;
        const std::string_view size = content.substr(begin, content.find_first_not_of("0123456789", begin) - begin);
        message += " (" + std::string(size) + " bytes)";
    }
    return failure(message + "; run \"git lfs pull\" in that folder, or download the file again.");
}

} // namespace

Result<MappedFile> openWeightFile(const std::filesystem::path& path)
{
    auto file = MappedFile::open(path);
    if (!file)
        return file;
    if (auto real = refuseStandIns(file->text(), path); !real)
        return tl::unexpected(real.error());
    return file;
}

Result<std::string> readModelText(const std::filesystem::path& path)
{
    auto text = readFile(path);
    if (!text)
        return text;
    if (auto real = refuseStandIns(*text, path); !real)
        return tl::unexpected(real.error());
    return text;
}

} // namespace tunebench
