#pragma once

#include "core/model/gguf.h"
#include "core/model/stored_weights.h"

namespace tunebench {

/// The spec from a GGUF file's metadata and tensor table. A head is its own when output.weight is there; biases that
/// a family may or may not have are those that are there; llama3 scaling is found again from rope_freqs.weight.
Result<ModelSpec> modelSpecFromGguf(const GgufFile& file);

/// The weights under transformers' names and in transformers' order of rows.
Result<std::unique_ptr<StoredWeights>> openGgufWeights(std::shared_ptr<const GgufFile> file, const ModelSpec& spec);

} // namespace tunebench
