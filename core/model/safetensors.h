#pragma once

#include "core/base/files.h"
#include "core/model/tensor_info.h"

#include <map>

namespace tunebench {

/// One .safetensors file, header checked in full (format: huggingface/safetensors README): length of the header,
/// types, sizes, no overlap, no holes, nothing past the end.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path& path);

    /// In the order of their bytes.
    std::span<const TensorInfo> tensors() const { return m_tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_metadata; }
    /// The stored bytes of a tensor.
    std::span<const std::byte> bytes(size_t tensor) const { return m_data[tensor]; }

private:
    explicit SafetensorsFile(MappedFile file);
    MappedFile m_file;
    std::vector<TensorInfo> m_tensors;
    std::vector<std::span<const std::byte>> m_data;
    std::map<std::string, std::string> m_metadata;
};

/// A tensor to be written.
struct TensorToWrite {
    TensorInfo info;
    std::span<const std::byte> bytes;
};

/// Writes a file byte for byte as the safetensors library does (tensors by type, largest first, then by name),
/// metadata `{"format":"pt"}`; it appears whole or not at all. Block types, double names and byte counts that do not
/// fit the shape are errors.
Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors);

} // namespace tunebench
