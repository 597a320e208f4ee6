#pragma once

#include "core/model/model_family.h"

namespace tunebench {

/// transformers' name of a tensor of a GGUF file, or the file's own for one that no known model has.
std::string transformersName(std::string_view name, const ModelFamily& family);

} // namespace tunebench
