#include "core/model/model_files.h"

#include "core/base/fingerprint.h"
#include "core/model/gguf_model.h"
#include "core/model/huggingface_folder.h"
#include "core/model/model_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

bool isGguf(const fs::path& path)
{
    return path.extension() == ".gguf";
}

/// The folder of a model, or why the path is none.
Result<void> checkFolder(const fs::path& path)
{
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status))
        return failure("There is no model at " + path.string() + ": no such file or folder.");
    if (!fs::is_directory(status))
        return failure(
            path.string() + " is neither a model's folder nor a .gguf file; choose the folder that holds it.");
    return {};
}

Result<ModelSpec> specOfFolder(const fs::path& folder)
{
    const auto config = readModelConfig(folder);
    if (!config)
        return tl::unexpected(config.error());
    return modelSpecFromConfig(*config, (folder / "config.json").string());
}

Result<ModelFiles> finish(ModelSpec spec, Result<std::unique_ptr<StoredWeights>> weights, const fs::path& path)
{
    if (!weights)
        return tl::unexpected(weights.error());
    return ModelFiles { std::move(spec), std::move(*weights), modelName(path) };
}

/// "organisation/name" or nothing.
bool isHubId(std::string_view text)
{
    const auto isPart = [](std::string_view part) {
        return !part.empty() && part.front() != '.' && std::ranges::all_of(part, [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_'
                || c == '.';
        });
    };
    const size_t slash = text.find('/');
    return slash != std::string_view::npos && isPart(text.substr(0, slash)) && isPart(text.substr(slash + 1));
}

/// The hub id in a path of the hub's cache (models--organisation--name/snapshots/...), or nothing.
std::string hubIdInCache(const fs::path& path)
{
    for (const fs::path& part : path) {
        std::string name = part.string();
        if (!name.starts_with("models--"))
            continue;
        name.erase(0, std::string_view("models--").size());
        if (const size_t separator = name.find("--"); separator != std::string::npos)
            name.replace(separator, 2, "/");
        return name;
    }
    return {};
}

} // namespace

std::string ModelFiles::fingerprint() const
{
    Fingerprint both;
    both.add(configFromModelSpec(spec).dump());
    both.add(weights->fingerprint());
    return both.text();
}

std::string modelName(const fs::path& path)
{
    const fs::path whole = fs::absolute(path).lexically_normal();
    if (std::string id = hubIdInCache(whole); !id.empty())
        return id;
    if (isGguf(path))
        return path.stem().string();
    if (const auto config = readModelConfig(path)) {
        const auto name = config->find("_name_or_path");
        if (name != config->end() && name->is_string() && isHubId(name->get<std::string>()))
            return name->get<std::string>();
    }
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Result<ModelFiles> openModelFiles(const fs::path& path)
{
    if (isGguf(path)) {
        auto opened = GgufFile::open(path);
        if (!opened)
            return tl::unexpected(opened.error());
        const auto file = std::make_shared<const GgufFile>(std::move(*opened));
        auto spec = modelSpecFromGguf(*file);
        if (!spec)
            return tl::unexpected(spec.error());
        return finish(*spec, openGgufWeights(file, *spec), path);
    }
    if (auto folder = checkFolder(path); !folder)
        return tl::unexpected(folder.error());
    auto spec = specOfFolder(path);
    if (!spec)
        return tl::unexpected(spec.error());
    return finish(*spec, openFolderWeights(path, *spec), path);
}

Result<ModelSpec> readModelSpec(const fs::path& path)
{
    if (isGguf(path)) {
        const auto file = GgufFile::open(path);
        return file ? modelSpecFromGguf(*file) : tl::unexpected(file.error());
    }
    if (auto folder = checkFolder(path); !folder)
        return tl::unexpected(folder.error());
    return specOfFolder(path);
}

} // namespace tunebench
