#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// How numbers lie in a weight file. The q types are GGUF's block formats.
enum class StorageType { f32, f16, bf16, i64, i32, u8, boolean, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k };

/// "F32", "BF16", "Q4_K", ...: as safetensors and GGUF spell them.
std::string_view storageTypeName(StorageType type);

/// How many numbers share one block of how many bytes; plain types have blocks of one number (ggml-common.h).
struct BlockLayout {
    int64_t numbers;
    int64_t bytes;
};
BlockLayout blockLayout(StorageType type);

/// A tensor of a weight file: name and shape as transformers has them (row-major, outermost first).
struct TensorInfo {
    std::string name;
    StorageType type = StorageType::f32;
    std::vector<int64_t> shape;
};

/// Product of the dimensions (1 for a scalar), or nothing when one is negative or the product exceeds 63 bits.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

/// Bytes that the tensor takes in a file, or nothing when that exceeds 63 bits or a row is not made of whole blocks.
std::optional<int64_t> storedBytes(const TensorInfo& tensor);

/// "[49152, 576]", for messages.
std::string shapeText(std::span<const int64_t> shape);

} // namespace tunebench
