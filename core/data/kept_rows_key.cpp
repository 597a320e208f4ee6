#include "core/config/choices.h"
#include "core/data/kept_rows.h"

#include <array>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

void addText(Fingerprint& fingerprint, std::string_view text)
{
    fingerprint.add(std::to_string(text.size()) + ":");
    fingerprint.add(text);
}

/// The first bytes of a file, as many as could matter: a GGUF file has its tokenizer before its weights.
bool addFile(Fingerprint& fingerprint, const fs::path& path)
{
    constexpr size_t most = size_t { 64 } << 20;
    const auto file = MappedFile::open(path);
    if (file)
        addText(fingerprint, file->text().substr(0, most));
    return file.has_value();
}

/// The files of a model that decide about its text.
bool addTextFiles(Fingerprint& fingerprint, const fs::path& model)
{
    constexpr std::array names { "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
        "generation_config.json", "added_tokens.json", "chat_template.jinja", "chat_template.json", "tokenizer.model",
        "spiece.model", "tekken.json", "vocab.json", "merges.txt", "config.json" };
    std::error_code ignored;
    const bool isFolder = fs::is_directory(model, ignored);
    if (!isFolder && !addFile(fingerprint, model))
        return false;
    const fs::path folder = isFolder ? model : model.parent_path();
    for (const char* name : names) {
        const fs::path path = folder / name;
        if (!fs::is_regular_file(path, ignored))
            continue;
        addText(fingerprint, name);
        if (!addFile(fingerprint, path))
            return false;
    }
    return true;
}

} // namespace

std::string keptRowsKey(const std::string& data, DatasetFormat format, const RunConfig& config,
    const EncodingSetup& setup, const std::string& today)
{
    Fingerprint fingerprint;
    if (data.empty() || setup.text == nullptr || !addFile(fingerprint, "/proc/self/exe")
        || !addTextFiles(fingerprint, setup.textFiles))
        return {};
    addText(fingerprint, data);
    addText(fingerprint, choiceName(format));
    for (const auto& [ours, theirs] : config.datasetColumns) {
        addText(fingerprint, ours);
        addText(fingerprint, theirs);
    }
    addText(fingerprint, choiceName(config.lossOn));
    addText(fingerprint, config.maxRows ? std::to_string(*config.maxRows) : "all");
    if (config.maxRows) { // how many rows are read for so many usable ones depends on what truncation refuses
        addText(fingerprint, std::to_string(config.maxLength));
        addText(fingerprint, choiceName(config.truncation));
    }
    addText(fingerprint, std::to_string(setup.vocabularySize));
    addText(fingerprint, setup.text->templateVariables.dump());
    for (const auto& chatTemplate : { setup.text->chatTemplate, setup.text->toolTemplate }) {
        const std::string source = chatTemplate ? chatTemplate->source() : "";
        addText(fingerprint, source);
        if (source.find("strftime_now") != std::string::npos)
            addText(fingerprint, today);
    }
    return fingerprint.text();
}

} // namespace tunebench
