#include "core/model/lora_targets.h"

#include <algorithm>
#include <set>

namespace tunebench {
namespace {

constexpr std::string_view weightSuffix = ".weight";

/// "model.layers.0.self_attn.q_proj", ...: what `all-linear` stands for.
std::vector<std::string> projectionModules(const ModelSpec& spec)
{
    std::vector<std::string> modules;
    for (const TensorInfo& tensor : neededTensors(spec)) {
        const std::string_view name = tensor.name;
        if (name.starts_with("model.layers.") && name.ends_with(weightSuffix) && tensor.shape.size() == 2)
            modules.emplace_back(name.substr(0, name.size() - weightSuffix.size()));
    }
    return modules;
}

std::string lastNames(const std::vector<std::string>& modules)
{
    std::set<std::string> names;
    for (const std::string& module : modules)
        names.insert(module.substr(module.rfind('.') + 1));
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

} // namespace

bool selectsModule(std::string_view target, std::string_view module)
{
    if (target == "all-linear")
        return module != "lm_head";
    if (target == module)
        return true;
    return module.size() > target.size() && module.ends_with(target)
        && module[module.size() - target.size() - 1] == '.';
}

bool savesWhole(std::span<const std::string> modulesToSave, std::string_view tensor)
{
    for (size_t end = tensor.rfind('.'); end != std::string_view::npos; end = tensor.rfind('.', end - 1)) {
        const std::string_view module = tensor.substr(0, end);
        if (std::ranges::any_of(modulesToSave, [&](const std::string& name) { return module.ends_with(name); }))
            return true;
        if (end == 0)
            break;
    }
    return false;
}

Result<void> checkModulesToSave(
    const ModelSpec& spec, std::span<const std::string> modulesToSave, std::span<const std::string> targets)
{
    ModelSpec untied = spec; // a tied head can be trained apart
    untied.tiedEmbeddings = false;
    const auto tensors = neededTensors(untied);
    for (const std::string& name : modulesToSave) {
        const std::span<const std::string> alone(&name, 1);
        if (std::ranges::none_of(tensors, [&](const TensorInfo& tensor) { return savesWhole(alone, tensor.name); }))
            return failure("modules_to_save: \"" + name
                + "\" names no module of this model; embed_tokens, lm_head, norm and the projections are some.");
    }
    const auto modules = projectionModules(spec);
    const bool someLeft = std::ranges::any_of(modules, [&](const std::string& module) {
        return !savesWhole(modulesToSave, module + std::string(weightSuffix))
            && std::ranges::any_of(targets, [&](const std::string& target) { return selectsModule(target, module); });
    });
    if (!someLeft)
        return failure(
            "modules_to_save takes every module that lora_targets selects, so that no LoRA is left; take some "
            "out, or set method: full.");
    return {};
}

Result<void> checkLoraTargets(const ModelSpec& spec, std::span<const std::string> targets)
{
    const auto modules = projectionModules(spec);
    for (const std::string& target : targets) {
        if (std::ranges::none_of(modules, [&](const std::string& module) { return selectsModule(target, module); }))
            return failure("lora_targets: \"" + target + "\" names no projection of this model; it has "
                + lastNames(modules) + ", or write all-linear for all of them.");
    }
    return {};
}

} // namespace tunebench
