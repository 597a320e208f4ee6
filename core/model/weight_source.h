#pragma once

#include "core/base/result.h"
#include "core/model/tensor_info.h"

#include <span>

namespace tunebench {

/// The tensors of a model on disk, under transformers' names and in transformers' layout whatever the file format.
class WeightSource {
public:
    virtual ~WeightSource() = default;

    virtual std::span<const TensorInfo> tensors() const = 0;

    /// Rows [first, first + count) along the first dimension, as float32, row-major (a one-dimensional tensor of n
    /// numbers has n rows of one). `out` holds exactly count rows.
    virtual Result<void> readRows(size_t tensor, int64_t first, int64_t count, std::span<float> out) const = 0;

    /// Index of a tensor by name, or -1.
    int64_t find(std::string_view name) const;
};

} // namespace tunebench
