#include "core/model/huggingface_folder.h"

#include "core/model/safetensors.h"
#include "core/model/weight_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tunebench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view adapterFile = "adapter_model.safetensors";

Result<json> readJsonObject(const fs::path& path)
{
    const auto text = readModelText(path);
    if (!text)
        return tl::unexpected(text.error());
    json object = json::parse(*text, nullptr, false);
    if (!object.is_object())
        return failure(path.string() + " is not a JSON object; download it again.");
    return object;
}

/// Which file holds which tensor, as the index says.
using WeightMap = std::map<std::string, std::string>;

Result<WeightMap> readIndex(const fs::path& path)
{
    const auto index = readJsonObject(path);
    if (!index)
        return tl::unexpected(index.error());
    const auto map = index->find("weight_map");
    if (map == index->end() || !map->is_object() || map->empty())
        return failure(path.string() + " has no \"weight_map\"; download it again.");
    WeightMap files;
    for (const auto& [tensor, file] : map->items()) {
        if (!file.is_string() || fs::path(file.get<std::string>()).filename() != file.get<std::string>())
            return failure(path.string() + " names no file of this folder for \"" + tensor + "\".");
        files.emplace(tensor, file.get<std::string>());
    }
    return files;
}

using Shards = std::map<std::string, SafetensorsFile>;

/// Opens each file that the index names; all missing ones are named at once.
Result<Shards> openShards(const fs::path& folder, const WeightMap& map)
{
    std::set<std::string> names;
    for (const auto& [tensor, name] : map)
        names.insert(name);
    std::string missing;
    for (const std::string& name : names) {
        std::error_code error;
        if (!fs::exists(folder / name, error))
            missing += (missing.empty() ? "" : ", ") + name;
    }
    if (!missing.empty())
        return failure(folder.string() + " lacks files that its index names: " + missing + "; download them.");
    Shards shards;
    for (const std::string& name : names) {
        auto file = SafetensorsFile::open(folder / name);
        if (!file)
            return tl::unexpected(file.error());
        shards.emplace(name, std::move(*file));
    }
    return shards;
}

/// The one weight file of a folder without an index.
Result<fs::path> soleWeightFile(const fs::path& folder)
{
    std::vector<fs::path> files;
    bool pickled = false;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& path = entry->path();
        if (path.extension() == ".safetensors" && path.filename() != adapterFile)
            files.push_back(path);
        pickled = pickled || path.filename().string().starts_with("pytorch_model");
    }
    if (files.size() == 1)
        return files.front();
    if (!files.empty())
        return failure(
            folder.string() + " has several .safetensors files but no model.safetensors.index.json; download it.");
    if (pickled)
        return failure(folder.string()
            + " has its weights only as pytorch_model.bin, which can run code when it is read; "
              "take the model's safetensors files.");
    return failure(folder.string() + " has no weights: there is no model.safetensors; download it.");
}

/// How files name the decoder's tensors.
enum class Naming {
    usual,
    bare, ///< a model saved without its head: without "model."
    textPart, ///< of a model that sees images as well
};

Naming namingOf(std::span<const std::string> names)
{
    const auto any = [&](auto predicate) { return std::any_of(names.begin(), names.end(), predicate); };
    if (any([](std::string_view name) { return name == "embed_tokens.weight"; }))
        return Naming::bare;
    const bool textPart = any([](std::string_view name) {
        return name.starts_with("language_model.") || name.starts_with("model.language_model.");
    });
    return textPart ? Naming::textPart : Naming::usual;
}

/// The decoder's name of a tensor (as it is where it is none of the decoder's), or nothing for what sees images.
/// transformers 4 put "model." behind what names the part, transformers 5 before it.
std::optional<std::string> nameInTextPart(const std::string& name)
{
    for (const std::string_view prefix : { "language_model.model.", "model.language_model." }) {
        if (name.starts_with(prefix))
            return "model." + name.substr(prefix.size());
    }
    if (constexpr std::string_view part = "language_model."; name.starts_with(part))
        return name.substr(part.size());
    const std::string_view inner = name.starts_with("model.") ? std::string_view(name).substr(6) : name;
    if (inner.starts_with("vision_tower.") || inner.starts_with("multi_modal_projector."))
        return {};
    return name;
}

std::optional<std::string> decoderName(const std::string& name, Naming naming)
{
    if (naming == Naming::textPart)
        return nameInTextPart(name);
    return naming == Naming::bare && !name.starts_with("lm_head.") ? "model." + name : name;
}

using Found = std::map<std::string, StoredTensor>;

Found collect(const SafetensorsFile& file, Naming naming)
{
    Found found;
    for (size_t i = 0; i < file.tensors().size(); ++i) {
        const TensorInfo& info = file.tensors()[i];
        if (const auto name = decoderName(info.name, naming))
            found.emplace(*name, StoredTensor { info, file.bytes(i) });
    }
    return found;
}

Result<std::unique_ptr<StoredWeights>> openSingle(const fs::path& path, const ModelSpec& spec)
{
    auto opened = SafetensorsFile::open(path);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto file = std::make_shared<const SafetensorsFile>(std::move(*opened));
    std::vector<std::string> names;
    for (const TensorInfo& tensor : file->tensors())
        names.push_back(tensor.name);
    const Naming naming = namingOf(names);
    return StoredWeights::bind(spec, collect(*file, naming), file, path.string());
}

Result<std::unique_ptr<StoredWeights>> openSharded(const fs::path& index, const ModelSpec& spec)
{
    const auto map = readIndex(index);
    if (!map)
        return tl::unexpected(map.error());
    auto opened = openShards(index.parent_path(), *map);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto shards = std::make_shared<const Shards>(std::move(*opened));
    std::map<std::string, Found> byShard;
    for (const auto& [name, file] : *shards)
        byShard.emplace(name, collect(file, Naming::usual));
    std::vector<std::string> names;
    for (const auto& [tensor, name] : *map)
        names.push_back(tensor);
    const Naming naming = namingOf(names);
    Found found;
    for (const auto& [tensor, name] : *map) {
        const auto& held = byShard.at(name);
        const auto place = held.find(tensor);
        if (place == held.end())
            return failure(index.string() + " says that " + name + " holds \"" + tensor
                + "\", but it does not; download both again.");
        if (const auto decoders = decoderName(tensor, naming))
            found.emplace(*decoders, place->second);
    }
    return StoredWeights::bind(spec, std::move(found), shards, index.parent_path().string());
}

} // namespace

Result<json> readModelConfig(const fs::path& folder)
{
    std::error_code error;
    if (fs::exists(folder / "config.json", error))
        return readJsonObject(folder / "config.json");
    if (fs::exists(folder / "adapter_config.json", error))
        return failure(
            folder.string() + " is a PEFT adapter, not a model: choose it as adapter, and its base as model.");
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".gguf")
            return failure(folder.string() + " has no config.json; to use " + entry->path().filename().string()
                + ", choose that file itself.");
    }
    return failure(folder.string() + " has no config.json; choose a model's folder or a .gguf file.");
}

Result<std::unique_ptr<StoredWeights>> openFolderWeights(const fs::path& folder, const ModelSpec& spec)
{
    std::error_code error;
    if (fs::exists(folder / "model.safetensors", error))
        return openSingle(folder / "model.safetensors", spec);
    if (const fs::path index = folder / "model.safetensors.index.json"; fs::exists(index, error))
        return openSharded(index, spec);
    const auto sole = soleWeightFile(folder);
    if (!sole)
        return tl::unexpected(sole.error());
    return openSingle(*sole, spec);
}

} // namespace tunebench
