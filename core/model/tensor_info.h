#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// How numbers lie in a weight file. The q types are GGUF's block formats.
enum class StorageType {
    f32, f16, bf16, i64, i32, u8, boolean, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k
};

/// "F32", "BF16", "Q4_K", ...: as safetensors and GGUF spell them.
std::string_view storageTypeName(StorageType type);

/// A tensor of a weight file: name and shape as transformers has them (row-major, outermost first).
struct TensorInfo {
    std::string name;
    StorageType type = StorageType::f32;
    std::vector<int64_t> shape;
};

} // namespace tunebench
