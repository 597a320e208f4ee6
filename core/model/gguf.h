#pragma once

#include "core/base/files.h"
#include "core/model/tensor_info.h"

#include <optional>
#include <variant>

namespace tunebench {

/// A GGUF file's metadata and tensor table, checked in full (ggml's docs/gguf.md): counts, string lengths, types,
/// duplicate names, alignment, offsets and sizes against the file. Names and shapes here are the file's own, shapes
/// already turned to row-major order (outermost first).
class GgufFile {
public:
    using Array = std::variant<std::vector<std::string>, std::vector<double>, std::vector<int64_t>>;
    using Value = std::variant<int64_t, double, bool, std::string, Array>;

    static Result<GgufFile> open(const std::filesystem::path& path);
    /// The metadata alone (a tokenizer, say): a tensor type that is not read here is no hindrance; tensors() is empty.
    static Result<GgufFile> openMetadata(const std::filesystem::path& path);
    GgufFile(GgufFile&&) noexcept;
    GgufFile& operator=(GgufFile&&) noexcept;
    ~GgufFile();

    /// The value of a key, or nullptr. The typed forms give nothing as well when the value has another type; arrays
    /// of booleans count as integers.
    const Value* find(std::string_view key) const;
    std::optional<std::string> text(std::string_view key) const;
    std::optional<int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const; ///< integers too
    std::optional<bool> flag(std::string_view key) const;
    const std::vector<std::string>* texts(std::string_view key) const;
    const std::vector<int64_t>* integers(std::string_view key) const;
    const std::vector<double>* numbers(std::string_view key) const;

    std::span<const TensorInfo> tensors() const;
    /// The tensor of that name, or nullptr.
    const TensorInfo* findTensor(std::string_view name) const;
    /// The stored bytes of a tensor.
    std::span<const std::byte> bytes(size_t tensor) const;
    const std::filesystem::path& path() const;

private:
    struct State;
    class Parser;
    enum class Parts { metadata, all };
    static Result<GgufFile> load(const std::filesystem::path& path, Parts parts);
    explicit GgufFile(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tunebench
