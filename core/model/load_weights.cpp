#include "core/model/load_weights.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>

namespace tunebench {
namespace {

/// Numbers read at once.
constexpr int64_t sliceNumbers = int64_t { 1 } << 20;

Result<void> loadTensor(const at::Tensor& target, const WeightSource& source, size_t index, std::vector<float>& buffer)
{
    const int64_t rows = target.size(0);
    const int64_t rowLength = target.numel() / std::max<int64_t>(rows, 1);
    const int64_t step = std::clamp<int64_t>(sliceNumbers / std::max<int64_t>(rowLength, 1), 1, rows);
    for (int64_t first = 0; first < rows; first += step) {
        const int64_t count = std::min(step, rows - first);
        buffer.resize(static_cast<size_t>(count * rowLength));
        if (auto read = source.readRows(index, first, count, buffer); !read)
            return read;
        const auto slice = target.narrow(0, first, count);
        slice.copy_(at::from_blob(buffer.data(), slice.sizes(), at::TensorOptions().dtype(at::kFloat)));
    }
    return {};
}

} // namespace

Result<void> loadWeights(Decoder& decoder, const WeightSource& source)
{
    if (decoder.device.is_meta())
        return {};
    Result<void> result;
    std::vector<float> buffer;
    decoder.forEachBaseParameter([&](Parameter& parameter) {
        if (!result)
            return;
        int64_t index = source.find(parameter.name);
        if (index < 0 && parameter.name == "lm_head.weight") // tied in the file, apart in the decoder
            index = source.find("model.embed_tokens.weight");
        if (index < 0)
            result = failure("The model has no tensor " + parameter.name + ".");
        else
            result = loadTensor(parameter.value, source, static_cast<size_t>(index), buffer);
    });
    return result;
}

} // namespace tunebench
