#pragma once

#include "core/model/safetensors.h"

namespace tunebench {

/// Writes a whole model as a Hugging Face folder: model.safetensors (one file, whatever its size) with the tensors
/// given (at least one, all of one type), and config, tokenizer and chat template copied from `source`, the model that
/// was trained; config.json's dtype becomes that of the tensors. It appears whole or not at all. For a .gguf source
/// config.json is made from its metadata, and the tokenizer is left out. Gives notices for the user.
Result<std::vector<std::string>> writeModelFolder(
    const std::filesystem::path& folder, const std::filesystem::path& source, std::span<const TensorToWrite> tensors);

} // namespace tunebench
