#pragma once

#include "core/model/gguf_keys.h"
#include "core/model/model_spec.h"

namespace tunebench {

/// Gives the spec the ropes that the file's keys tell.
void readGgufRopes(ModelSpec& spec, GgufKeys& keys, const ModelFamily& family);

/// Gives it the scaling that the file tells by tensors: llama3's factors, as llama.cpp's converter has stored them, and
/// longrope's.
Result<void> readGgufRopeTensors(ModelSpec& spec, const GgufFile& file, GgufKeys& keys, const ModelFamily& family);

/// Whether it is one of those tensors, which are no weights.
bool isRopeTensor(std::string_view name);

} // namespace tunebench
