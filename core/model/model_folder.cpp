#include "core/model/model_folder.h"

#include "core/base/atomic_folder.h"
#include "core/model/gguf_model.h"
#include "core/model/model_config.h"
#include "core/model/model_family.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

using Notices = std::vector<std::string>;

/// What belongs to a model beside its weights.
constexpr std::array companions = { "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
    "tokenizer.model", "tekken.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt",
    "chat_template.jinja", "chat_template.json" };

Result<void> copyCompanions(const fs::path& source, const fs::path& folder)
{
    for (const char* name : companions) {
        std::error_code error;
        if (!fs::exists(source / name, error))
            continue;
        const auto content = readFile(source / name);
        if (!content)
            return tl::unexpected(content.error());
        if (auto written = writeFileAtomically(folder / name, *content); !written)
            return written;
    }
    return {};
}

/// The config.json of the part that reads and writes text, with what the whole says of tokens.
nlohmann::ordered_json configOfTextPart(const nlohmann::ordered_json& whole)
{
    auto config = whole.at("text_config");
    for (const char* key : { "bos_token_id", "eos_token_id", "pad_token_id", "dtype", "torch_dtype" }) {
        if (!config.contains(key) && whole.contains(key))
            config[key] = whole[key];
    }
    if (const ModelFamily* family = familyByName(config.value("model_type", "")))
        config["architectures"] = { family->modelClass };
    return config;
}

/// Makes config.json describe the decoder alone and say in which type the weights are held now: loaders that trust it
/// would otherwise round them.
Result<void> adaptConfig(const fs::path& folder, StorageType type)
{
    const auto text = readFile(folder / "config.json");
    if (!text)
        return tl::unexpected(text.error());
    auto config = nlohmann::ordered_json::parse(*text, nullptr, false);
    const auto plain = nlohmann::json::parse(*text, nullptr, false);
    bool changed = &textConfig(plain) != &plain;
    if (changed)
        config = configOfTextPart(config);
    const std::string name = type == StorageType::f32 ? "float32" : type == StorageType::f16 ? "float16" : "bfloat16";
    for (const char* key : { "dtype", "torch_dtype" }) { // the second is the older spelling of the first
        if (config.contains(key) && config[key] != name) {
            config[key] = name;
            changed = true;
        }
    }
    return changed ? writeFileAtomically(folder / "config.json", config.dump(2) + "\n") : Result<void>();
}

Result<Notices> writeConfigOfGguf(const fs::path& source, const fs::path& folder)
{
    const auto file = GgufFile::open(source);
    if (!file)
        return tl::unexpected(file.error());
    const auto spec = modelSpecFromGguf(*file);
    if (!spec)
        return tl::unexpected(spec.error());
    auto config = configFromModelSpec(*spec);
    for (const char* token : { "bos_token_id", "eos_token_id" }) {
        if (const auto id = file->integer("tokenizer.ggml." + std::string(token)))
            config[token] = *id;
    }
    if (auto written = writeFileAtomically(folder / "config.json", config.dump(2) + "\n"); !written)
        return tl::unexpected(written.error());
    return Notices { "The tokenizer stays in " + source.filename().string()
        + ": copy tokenizer.json of the original model into the saved folder to use it with other tools." };
}

} // namespace

Result<Notices> writeModelFolder(const fs::path& folder, const fs::path& source, std::span<const TensorToWrite> tensors)
{
    auto whole = AtomicFolder::replace(folder);
    if (!whole)
        return tl::unexpected(whole.error());
    Result<Notices> notices;
    if (source.extension() == ".gguf")
        notices = writeConfigOfGguf(source, whole->content());
    else if (auto copied = copyCompanions(source, whole->content()).and_then([&] {
                 return adaptConfig(whole->content(), tensors.front().info.type);
             });
             !copied)
        notices = tl::unexpected(copied.error());
    if (!notices)
        return notices;
    auto written = writeSafetensors(whole->content() / "model.safetensors", tensors);
    if (written)
        written = whole->commit();
    if (!written)
        return tl::unexpected(written.error());
    return notices;
}

} // namespace tunebench
