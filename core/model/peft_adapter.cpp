#include "core/model/peft_adapter.h"

#include "core/model/lora_targets.h"

#include "core/base/atomic_folder.h"
#include "core/model/dequantize.h"
#include "core/model/peft_config.h"
#include "core/model/safetensors.h"
#include "core/model/weight_file.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view configFile = "adapter_config.json";
constexpr std::string_view weightFile = "adapter_model.safetensors";
constexpr std::string_view modulePrefix = "base_model.model.";
constexpr int64_t absent = -1;

/// Indexes in the file of a module's tensors.
struct Parts {
    int64_t a = absent;
    int64_t b = absent;
    int64_t magnitude = absent;
};

/// Takes "<module>.lora_A.weight" (or ".lora_A.default.weight", as some tools save it) to pieces.
bool addPart(std::map<std::string, Parts>& modules, std::string_view name, size_t index)
{
    for (const auto& [marker, member] : { std::pair(".lora_A", &Parts::a), std::pair(".lora_B", &Parts::b),
             std::pair(".lora_magnitude_vector", &Parts::magnitude) }) {
        const size_t place = name.rfind(marker);
        if (place == std::string_view::npos || place == 0)
            continue;
        std::string_view ending = name.substr(place + std::string_view(marker).size());
        if (ending.starts_with(".default"))
            ending.remove_prefix(std::string_view(".default").size());
        int64_t& part = modules[std::string(name.substr(0, place))].*member;
        const bool bare = member == &Parts::magnitude && ending.empty();
        if ((ending != ".weight" && !bare) || part != absent)
            return false;
        part = static_cast<int64_t>(index);
        return true;
    }
    return false;
}

/// The pair of one module, or why its parts do not fit.
Result<PeftAdapter::Pair> pairOf(
    const std::string& module, const Parts& parts, const PeftAdapter& adapter, const std::string& where)
{
    if (parts.a == absent || parts.b == absent)
        return failure(where + " has only one half of the pair for " + module + ".");
    if ((parts.magnitude != absent) != adapter.dora)
        return failure(where + (adapter.dora ? " has no" : " has a") + " magnitude for " + module
            + ", unlike what use_dora in its config says.");
    const TensorInfo& a = adapter.file->tensors()[static_cast<size_t>(parts.a)];
    const TensorInfo& b = adapter.file->tensors()[static_cast<size_t>(parts.b)];
    const bool fits
        = a.shape.size() == 2 && b.shape.size() == 2 && a.shape[0] == adapter.rank && b.shape[1] == adapter.rank;
    if (!fits)
        return failure(where + " has shapes " + shapeText(a.shape) + " and " + shapeText(b.shape) + " for " + module
            + ", which do not fit the rank " + std::to_string(adapter.rank) + " of its config.");
    PeftAdapter::Pair pair { module, a.shape[1], b.shape[0], static_cast<size_t>(parts.a),
        static_cast<size_t>(parts.b) };
    if (adapter.dora) {
        pair.fileIndexMagnitude = static_cast<size_t>(parts.magnitude);
        const auto& shape = adapter.file->tensors()[*pair.fileIndexMagnitude].shape;
        if (shape != std::vector { pair.outputs })
            return failure(where + " has a magnitude of shape " + shapeText(shape) + " for " + module + ", which has "
                + std::to_string(pair.outputs) + " outputs.");
    }
    return pair;
}

/// The name in the base model of a tensor that modules_to_save has trained whole; empty when it is none.
std::string wholeName(std::string_view name, const PeftAdapter& adapter)
{
    std::string plain(name);
    for (const std::string_view marker : { ".modules_to_save.default", ".modules_to_save" }) {
        if (const size_t place = plain.find(marker); place != std::string::npos)
            plain.erase(place, marker.size());
    }
    return savesWhole(adapter.modulesToSave, plain) ? plain : "";
}

Result<void> readTensors(PeftAdapter& adapter, const std::string& where)
{
    std::map<std::string, Parts> modules;
    std::set<std::string> whole;
    for (size_t i = 0; i < adapter.file->tensors().size(); ++i) {
        const TensorInfo& tensor = adapter.file->tensors()[i];
        if (!holdsReals(tensor.type))
            return failure(where + " holds " + tensor.name + " as whole numbers; F32, F16 or BF16 is needed.");
        const bool prefixed = tensor.name.starts_with(modulePrefix);
        const std::string_view name = std::string_view(tensor.name).substr(prefixed ? modulePrefix.size() : 0);
        if (auto base = prefixed ? wholeName(name, adapter) : ""; !base.empty() && whole.insert(base).second)
            adapter.whole.push_back({ std::move(base), i });
        else if (!prefixed || !addPart(modules, name, i))
            return failure(where + " has a tensor \"" + tensor.name
                + "\" that is no lora_A or lora_B of a module, nor part of one in modules_to_save, or is there twice.");
    }
    if (modules.empty())
        return failure(where + " has no tensors of pairs, so there is nothing to start from.");
    for (const auto& [module, parts] : modules) {
        auto pair = pairOf(module, parts, adapter, where);
        if (!pair)
            return tl::unexpected(pair.error());
        adapter.tensors.push_back(std::move(*pair));
    }
    return {};
}

/// The projections of the model: name without ".weight" and shape.
std::map<std::string, std::vector<int64_t>> projections(const ModelSpec& spec)
{
    std::map<std::string, std::vector<int64_t>> modules;
    for (const TensorInfo& tensor : neededTensors(spec)) {
        if (tensor.shape.size() == 2 && tensor.name != "model.embed_tokens.weight")
            modules.emplace(tensor.name.substr(0, tensor.name.rfind('.')), tensor.shape);
    }
    return modules;
}

/// Every tensor that modules_to_save selects in the model must be there, in its shape, and no other.
Result<void> checkWhole(const PeftAdapter& adapter, ModelSpec spec)
{
    const auto isEmbeddingOrHead = [](const PeftAdapter::Whole& whole) {
        return whole.name == "model.embed_tokens.weight" || whole.name == "lm_head.weight";
    };
    const bool untied = std::ranges::any_of(adapter.whole, isEmbeddingOrHead);
    if (spec.tiedEmbeddings && untied && adapter.keepsTies)
        return failure(
            "The adapter trains the model's tied embedding and head as one (ensure_weight_tying), which is not "
            "supported; make it with ensure_weight_tying: false, which trains them apart.");
    spec.tiedEmbeddings = spec.tiedEmbeddings && !untied;
    std::map<std::string, std::vector<int64_t>> selected;
    for (const TensorInfo& tensor : neededTensors(spec)) {
        if (savesWhole(adapter.modulesToSave, tensor.name))
            selected.emplace(tensor.name, tensor.shape);
    }
    for (const auto& [name, index] : adapter.whole) {
        const auto place = selected.find(name);
        const auto& shape = adapter.file->tensors()[index].shape;
        if (place == selected.end() || place->second != shape)
            return failure("The adapter has " + name + " of shape " + shapeText(shape) + ", but the model's "
                + (place == selected.end() ? "has no such tensor" : "has " + shapeText(place->second))
                + "; choose the model that the adapter was trained on.");
        selected.erase(place);
    }
    if (!selected.empty())
        return failure(
            "The adapter's modules_to_save select " + selected.begin()->first + ", but it has no tensor for it.");
    return {};
}

std::vector<TensorToWrite> tensorsOf(const AdapterToWrite& adapter)
{
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, shape, numbers] : adapter.tensors)
        tensors.push_back({ { std::string(modulePrefix) + name, StorageType::f32, shape }, std::as_bytes(numbers) });
    return tensors;
}

} // namespace

void PeftAdapter::read(size_t fileIndex, std::span<float> out) const
{
    dequantize(file->tensors()[fileIndex].type, file->bytes(fileIndex), out);
}

Result<PeftAdapter> openPeftAdapter(const fs::path& folder)
{
    const auto text = readModelText(folder / configFile);
    if (!text)
        return tl::unexpected(text.error());
    auto adapter = adapterFromConfig(nlohmann::json::parse(*text, nullptr, false), (folder / configFile).string());
    if (!adapter)
        return adapter;
    auto file = SafetensorsFile::open(folder / weightFile);
    if (!file)
        return tl::unexpected(file.error());
    adapter->file = std::make_shared<const SafetensorsFile>(std::move(*file));
    if (auto read = readTensors(*adapter, (folder / weightFile).string()); !read)
        return tl::unexpected(read.error());
    return adapter;
}

Result<void> checkPeftAdapter(const PeftAdapter& adapter, const ModelSpec& spec)
{
    auto modules = projections(spec);
    for (const PeftAdapter::Pair& pair : adapter.tensors) {
        const auto module = modules.find(pair.module);
        if (module == modules.end())
            return failure("The adapter changes " + pair.module
                + ", but the model has no such projection; choose the model "
                  "that the adapter was trained on.");
        if (module->second != std::vector { pair.outputs, pair.inputs })
            return failure("The adapter's pair for " + pair.module + " is for a projection of shape "
                + shapeText(std::vector { pair.outputs, pair.inputs }) + ", but the model's has "
                + shapeText(module->second) + "; choose the model that the adapter was trained on.");
        modules.erase(module);
    }
    for (const auto& missing : modules) {
        const std::string& module = missing.first;
        if (savesWhole(adapter.modulesToSave, module + ".weight"))
            continue;
        if (std::ranges::any_of(
                adapter.targets, [&](const std::string& target) { return selectsModule(target, module); }))
            return failure("The adapter's target_modules select " + module + ", but it has no tensors for it.");
    }
    return checkWhole(adapter, spec);
}

Result<void> writePeftAdapter(const fs::path& folder, const AdapterToWrite& adapter)
{
    auto whole = AtomicFolder::replace(folder);
    if (!whole)
        return tl::unexpected(whole.error());
    auto done = writeSafetensors(whole->content() / weightFile, tensorsOf(adapter));
    if (done)
        done = writeFileAtomically(whole->content() / configFile, configFromAdapter(adapter).dump(2) + "\n");
    if (!done)
        return done;
    const auto again = openPeftAdapter(whole->content());
    if (!again)
        return failure("The adapter could not be read back: " + again.error().message, Fault::work);
    return whole->commit();
}

} // namespace tunebench
