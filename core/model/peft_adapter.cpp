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

/// Indexes in the file of a module's two halves.
struct Halves {
    int64_t a = absent;
    int64_t b = absent;
};

/// Takes "base_model.model.<module>.lora_A.weight" (or ".lora_A.default.weight", as some tools save it) to pieces.
bool addHalf(std::map<std::string, Halves>& halves, std::string_view key, size_t index)
{
    for (const auto& [marker, member] : { std::pair(".lora_A.", &Halves::a), std::pair(".lora_B.", &Halves::b) }) {
        const size_t place = key.rfind(marker);
        if (place == std::string_view::npos || !key.starts_with(modulePrefix) || place <= modulePrefix.size())
            continue;
        const std::string_view ending = key.substr(place + std::string_view(marker).size());
        int64_t& half = halves[std::string(key.substr(modulePrefix.size(), place - modulePrefix.size()))].*member;
        if ((ending != "weight" && ending != "default.weight") || half != absent)
            return false;
        half = static_cast<int64_t>(index);
        return true;
    }
    return false;
}

/// The pair of one module, or why its halves do not fit.
Result<PeftAdapter::Pair> pairOf(
    const std::string& module, const Halves& halves, const PeftAdapter& adapter, const std::string& where)
{
    if (halves.a == absent || halves.b == absent)
        return failure(where + " has only one half of the pair for " + module + ".");
    const TensorInfo& a = adapter.file->tensors()[static_cast<size_t>(halves.a)];
    const TensorInfo& b = adapter.file->tensors()[static_cast<size_t>(halves.b)];
    if (!holdsReals(a.type) || !holdsReals(b.type))
        return failure(where + " holds the pair for " + module + " as whole numbers; F32, F16 or BF16 is needed.");
    const bool fits
        = a.shape.size() == 2 && b.shape.size() == 2 && a.shape[0] == adapter.rank && b.shape[1] == adapter.rank;
    if (!fits)
        return failure(where + " has shapes " + shapeText(a.shape) + " and " + shapeText(b.shape) + " for " + module
            + ", which do not fit the rank " + std::to_string(adapter.rank) + " of its config.");
    return PeftAdapter::Pair { module, a.shape[1], b.shape[0], static_cast<size_t>(halves.a),
        static_cast<size_t>(halves.b) };
}

Result<void> readPairs(PeftAdapter& adapter, const std::string& where)
{
    std::map<std::string, Halves> halves;
    for (size_t i = 0; i < adapter.file->tensors().size(); ++i) {
        const std::string& name = adapter.file->tensors()[i].name;
        if (!addHalf(halves, name, i))
            return failure(
                where + " has a tensor \"" + name + "\" that is no lora_A or lora_B of a module, or is there twice.");
    }
    if (halves.empty())
        return failure(where + " has no tensors, so there is nothing to start from.");
    for (const auto& [module, both] : halves) {
        auto pair = pairOf(module, both, adapter, where);
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

std::vector<TensorToWrite> tensorsOf(const AdapterToWrite& adapter)
{
    std::vector<TensorToWrite> tensors;
    for (const auto& pair : adapter.pairs) {
        const std::string name = std::string(modulePrefix) + pair.module;
        tensors.push_back(
            { { name + ".lora_A.weight", StorageType::f32, { adapter.rank, pair.inputs } }, std::as_bytes(pair.a) });
        tensors.push_back(
            { { name + ".lora_B.weight", StorageType::f32, { pair.outputs, adapter.rank } }, std::as_bytes(pair.b) });
    }
    return tensors;
}

} // namespace

void PeftAdapter::readA(size_t pair, std::span<float> out) const
{
    const size_t index = tensors[pair].fileIndexA;
    dequantize(file->tensors()[index].type, file->bytes(index), out);
}

void PeftAdapter::readB(size_t pair, std::span<float> out) const
{
    const size_t index = tensors[pair].fileIndexB;
    dequantize(file->tensors()[index].type, file->bytes(index), out);
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
    if (auto read = readPairs(*adapter, (folder / weightFile).string()); !read)
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
        if (std::ranges::any_of(
                adapter.targets, [&](const std::string& target) { return selectsModule(target, module); }))
            return failure("The adapter's target_modules select " + module + ", but it has no tensors for it.");
    }
    return {};
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
