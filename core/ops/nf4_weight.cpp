#include "core/ops/nf4_weight.h"

#include "core/ops/dynamic_map.h"
#include "core/ops/recorded_operation.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <algorithm>
#include <optional>
#include <span>

namespace tunebench {
namespace {

constexpr int64_t blockSize = Nf4Weight::blockSize;
constexpr int64_t groupSize = Nf4Weight::groupSize;

const std::array<float, 256>& scaleValues()
{
    static const std::array<float, 256> values = [] {
        std::array<float, 256> copied {};
        std::ranges::copy_n(dynamicMap(true).const_data_ptr<float>(), std::ssize(copied), copied.begin());
        return copied;
    }();
    return values;
}

/// Writes the numbers of one block. Each of the 16 values is scaled and rounded once, not each number.
template <class Number> void unpackBlock(const uint8_t* packed, float scale, std::span<Number> out)
{
    std::array<Number, nf4Values.size()> values {};
    for (size_t code = 0; code < values.size(); ++code)
        values[code] = static_cast<Number>(nf4Values[code] * scale);
    for (size_t i = 0; i + 1 < out.size(); i += 2) {
        const uint8_t pair = packed[i / 2];
        out[i] = values[pair >> 4U];
        out[i + 1] = values[pair & 15U];
    }
    if (out.size() % 2 != 0)
        out.back() = values[packed[out.size() / 2] >> 4U];
}

template <class Number> void unpackOnCpu(const Nf4Weight& weight, Number* out)
{
    const auto* packed = weight.packed.const_data_ptr<uint8_t>();
    const auto* codes = weight.scaleCodes.const_data_ptr<uint8_t>();
    const auto* groups = weight.groupScales.const_data_ptr<float>();
    const auto& scales = scaleValues();
    constexpr int64_t grain = 512;
    at::parallel_for(0, weight.blocks(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * blockSize;
            const float scale = scales[codes[block]] * groups[block / groupSize] + weight.meanScale;
            const auto count = static_cast<size_t>(std::min(blockSize, weight.numbers() - first));
            unpackBlock(packed + first / 2, scale, std::span<Number>(out + first, count));
        }
    });
}

void unpackOnCpu(const Nf4Weight& weight, const at::Tensor& out)
{
    switch (out.scalar_type()) {
    case at::kHalf:
        return unpackOnCpu(weight, out.mutable_data_ptr<at::Half>());
    case at::kBFloat16:
        return unpackOnCpu(weight, out.mutable_data_ptr<at::BFloat16>());
    default:
        return unpackOnCpu(weight, out.mutable_data_ptr<float>());
    }
}

/// Blocks of one length, in whole groups or in one.
struct Piece {
    int64_t firstBlock = 0, blocks = 0;
    int64_t length = blockSize; ///< numbers of each block

    bool isLike(const Piece& other) const { return blocks == other.blocks && length == other.length; }
};

/// Pieces small enough that the indexes of their codes take little memory. Those of a dry run are all unlike.
std::vector<Piece> piecesOf(const Nf4Weight& weight)
{
    constexpr int64_t most = (int64_t { 1 } << 20) / blockSize;
    std::vector<Piece> pieces;
    const int64_t whole = weight.numbers() / blockSize;
    for (int64_t first = 0; first < whole; first += pieces.back().blocks) {
        const int64_t left = whole - first;
        pieces.push_back({ first, left >= groupSize ? std::min(most, left / groupSize * groupSize) : left });
    }
    if (const int64_t rest = weight.numbers() % blockSize; rest > 0)
        pieces.push_back({ whole, 1, rest });
    if (weight.packed.is_meta()) {
        const auto isRepeated = [](const Piece& a, const Piece& b) { return a.isLike(b); };
        pieces.erase(std::unique(pieces.begin(), pieces.end(), isRepeated), pieces.end());
    }
    return pieces;
}

/// The scales of a piece's blocks: [blocks, 1].
at::Tensor scalesOf(const Nf4Weight& weight, const Piece& piece)
{
    const int64_t groups = (piece.blocks + groupSize - 1) / groupSize;
    const auto codes = weight.scaleCodes.narrow(0, piece.firstBlock, piece.blocks).to(at::kInt);
    auto scales = at::index_select(weight.tables->scales, 0, codes);
    scales.view({ groups, -1 }).mul_(weight.groupScales.narrow(0, piece.firstBlock / groupSize, groups).unsqueeze(1));
    return scales.add_(weight.meanScale).unsqueeze_(1);
}

void unpackByOperations(const Nf4Weight& weight, const at::Tensor& out)
{
    for (const Piece& piece : piecesOf(weight)) {
        const int64_t first = piece.firstBlock * blockSize;
        const int64_t count = piece.blocks * piece.length;
        auto values = [&] {
            const auto bytes = weight.packed.narrow(0, first / 2, (count + 1) / 2).to(at::kInt);
            return at::index_select(weight.tables->pairs, 0, bytes);
        }();
        const auto blocks = values.view(-1).narrow(0, 0, count).view({ piece.blocks, piece.length });
        blocks.mul_(scalesOf(weight, piece));
        out.view(-1).narrow(0, first, count).view({ piece.blocks, piece.length }).copy_(blocks);
    }
}

} // namespace

std::shared_ptr<const Nf4Tables> nf4Tables(at::Device device)
{
    std::vector<float> pairs;
    for (const float upper : nf4Values) {
        for (const float lower : nf4Values)
            pairs.insert(pairs.end(), { upper, lower });
    }
    return std::make_shared<const Nf4Tables>(
        Nf4Tables { at::tensor(pairs).view({ -1, 2 }).to(device), dynamicMap(true).to(device) });
}

Nf4Weight makeNf4Weight(std::vector<int64_t> shape, at::Device device, std::shared_ptr<const Nf4Tables> tables)
{
    const auto bytes = at::TensorOptions().device(device).dtype(at::kByte);
    Nf4Weight weight { .shape = std::move(shape), .tables = std::move(tables) };
    const int64_t blocks = (weight.numbers() + blockSize - 1) / blockSize;
    weight.packed = at::empty({ (weight.numbers() + 1) / 2 }, bytes);
    weight.scaleCodes = at::empty({ blocks }, bytes);
    weight.groupScales = at::empty({ (blocks + groupSize - 1) / groupSize }, bytes.dtype(at::kFloat));
    return weight;
}

at::Tensor unpacked(const Nf4Weight& weight, at::ScalarType type)
{
    auto out = at::empty(weight.shape, weight.packed.options().dtype(type));
    static const c10::FunctionSchema schema("tunebench::unpack_nf4", "", {}, {});
    const RecordedOperation recorded(schema, { out, weight.packed, weight.scaleCodes, weight.groupScales });
    if (weight.tables)
        unpackByOperations(weight, out);
    else if (out.is_cpu())
        unpackOnCpu(weight, out);
    return out;
}

} // namespace tunebench
