#pragma once

#include "core/model/model_spec.h"
#include "core/model/weight_source.h"

#include <cstddef>
#include <map>
#include <memory>

namespace tunebench {

/// A tensor where it lies in a mapped file, under transformers' name.
struct StoredTensor {
    TensorInfo info;
    std::span<const std::byte> bytes;
    int64_t interleavedHeadSize = 0; ///< not 0: rows of each head lie as (half, pair) turned to (pair, half)
    float added = 0; ///< to each number as it is read
};

/// The weights of a model in one or several mapped files.
class StoredWeights : public WeightSource {
public:
    /// Holds the tensors found in the files against what the model needs: missing, extra, mis-shaped ones and types
    /// that hold no real numbers are named. `owner` keeps the bytes alive; `where` names the model in errors.
    static Result<std::unique_ptr<StoredWeights>> bind(const ModelSpec& spec, std::map<std::string, StoredTensor> found,
        std::shared_ptr<const void> owner, const std::string& where);

    std::span<const TensorInfo> tensors() const override { return m_infos; }
    Result<void> readRows(size_t tensor, int64_t first, int64_t count, std::span<float> out) const override;

    /// Changes when names, types, shapes or (with near certainty) values change; looks at a part of each tensor.
    std::string fingerprint() const;

private:
    StoredWeights(std::vector<StoredTensor> tensors, std::shared_ptr<const void> owner);
    std::vector<StoredTensor> m_tensors;
    std::vector<TensorInfo> m_infos;
    std::shared_ptr<const void> m_owner;
};

} // namespace tunebench
