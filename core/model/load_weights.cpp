#include "core/model/load_weights.h"

#include "core/ops/nf4_quantizer.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <c10/util/accumulate.h>
#include <numeric>

namespace tunebench {
namespace {

/// Numbers read at once.
constexpr int64_t sliceNumbers = int64_t { 1 } << 20;

/// Calls use(first, count) with slices of whole rows, in order; all but the last hold a multiple of `unit` numbers.
template <class Use>
Result<void> readSlices(
    at::IntArrayRef shape, int64_t unit, const WeightSource& source, size_t index, std::vector<float>& buffer, Use use)
{
    const int64_t rows = shape[0];
    const int64_t rowLength = std::max<int64_t>(c10::multiply_integers(shape.slice(1)), 1);
    const int64_t rowUnit = unit / std::gcd(unit, rowLength);
    const int64_t step = std::max(sliceNumbers / rowLength / rowUnit, int64_t { 1 }) * rowUnit;
    for (int64_t first = 0; first < rows; first += step) {
        const int64_t count = std::min(step, rows - first);
        buffer.resize(static_cast<size_t>(count * rowLength));
        if (auto read = source.readRows(index, first, count, buffer); !read)
            return read;
        use(first, count);
    }
    return {};
}

Result<void> loadTensor(const at::Tensor& target, const WeightSource& source, size_t index, std::vector<float>& buffer)
{
    return readSlices(target.sizes(), 1, source, index, buffer, [&](int64_t first, int64_t count) {
        const auto slice = target.narrow(0, first, count);
        slice.copy_(at::from_blob(buffer.data(), slice.sizes(), at::TensorOptions().dtype(at::kFloat)));
    });
}

Result<void> loadPacked(Nf4Weight& target, const WeightSource& source, size_t index, std::vector<float>& buffer)
{
    Nf4Quantizer quantizer(target);
    auto read = readSlices(
        target.shape, Nf4Weight::blockSize, source, index, buffer, [&](int64_t, int64_t) { quantizer.add(buffer); });
    if (read)
        quantizer.finish();
    return read;
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
        else if (parameter.packed)
            result = loadPacked(*parameter.packed, source, static_cast<size_t>(index), buffer);
        else
            result = loadTensor(parameter.value, source, static_cast<size_t>(index), buffer);
    });
    return result;
}

} // namespace tunebench
