#include "core/train/update_rule.h"

#include "core/ops/dynamic_map.h"

#include <ATen/ops/bucketize.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tunebench {
namespace {

constexpr int64_t blockSize = 256;
/// Values that are unpacked at a time: enough to keep a device busy, few beside the state.
constexpr int64_t pieceSize = int64_t { 1 } << 20;

/// Whole blocks of a tensor, or its last one where that is shorter.
struct Piece {
    int64_t first = 0; ///< value
    int64_t blocks = 0;
    int64_t length = 0; ///< of a block

    /// That part of a tensor: [blocks, length].
    at::Tensor of(const at::Tensor& tensor) const
    {
        return tensor.view(-1).narrow(0, first, blocks * length).view({ blocks, length });
    }

    at::Tensor scalesOf(const at::Tensor& scales) const { return scales.narrow(0, first / blockSize, blocks); }
};

std::vector<Piece> piecesOf(int64_t count)
{
    std::vector<Piece> pieces;
    const int64_t whole = count / blockSize * blockSize;
    for (int64_t first = 0; first < whole; first += pieceSize)
        pieces.push_back({ first, std::min(pieceSize, whole - first) / blockSize, blockSize });
    if (whole < count)
        pieces.push_back({ whole, 1, count - whole });
    return pieces;
}

/// A dynamic map on the device.
struct Codes {
    at::Tensor values; ///< [256], rising
    at::Tensor borders; ///< between one value and the next, [255]

    Codes(bool isSigned, at::Device device)
    {
        const auto map = dynamicMap(isSigned);
        values = map.to(device);
        borders = middles(map).to(device);
    }
};

/// One moment of one tensor.
struct Moment {
    at::Tensor codes; ///< uint8, the tensor's shape
    at::Tensor scales; ///< fp32, the largest magnitude of each block

    explicit Moment(const at::Tensor& value)
        : codes(at::zeros(value.sizes(), value.options().dtype(at::kByte)))
        , scales(at::zeros({ (value.numel() + blockSize - 1) / blockSize }, value.options()))
    {
    }

    at::Tensor unpacked(const Piece& piece, const Codes& map) const
    {
        const auto numbers = piece.of(codes).flatten().to(at::kInt);
        auto values = at::index_select(map.values, 0, numbers).view({ piece.blocks, piece.length });
        return values.mul_(piece.scalesOf(scales).unsqueeze(1));
    }

    /// Gives the numbers up when it has packed them.
    void pack(at::Tensor taken, const Piece& piece, const Codes& map) const
    {
        const auto values = std::move(taken);
        const auto largest
            = at::linalg_vector_norm(values, std::numeric_limits<double>::infinity(), at::IntArrayRef(1));
        piece.scalesOf(scales).copy_(largest);
        // A block of zeros stays one.
        values.div_(largest.clamp_min(std::numeric_limits<float>::min()).unsqueeze(1));
        piece.of(codes).copy_(at::bucketize(values, map.borders, true));
    }
};

class AdamW8bit final : public UpdateRule {
public:
    AdamW8bit(const TrainedGroup& group, const RunConfig& config)
        : m_beta1(config.beta1)
        , m_beta2(config.beta2)
        , m_epsilon(config.epsilon)
        , m_signed(true, group.values.front().device())
        , m_unsigned(false, group.values.front().device())
    {
        for (const at::Tensor& value : group.values) {
            m_first.emplace_back(value);
            m_second.emplace_back(value);
        }
    }

    void apply(TrainedGroup& group, double learningRate, int64_t step) override
    {
        const auto steps = static_cast<double>(step);
        const double rate = learningRate / (1 - std::pow(m_beta1, steps));
        const double correction = std::sqrt(1 - std::pow(m_beta2, steps));
        for (size_t i = 0; i < group.values.size(); ++i) {
            group.values[i].mul_(1 - learningRate * group.decay);
            for (const Piece& piece : piecesOf(group.values[i].numel())) {
                const auto gradient = piece.of(group.gradients[i]);
                auto second = m_second[i].unpacked(piece, m_unsigned);
                second.mul_(m_beta2).addcmul_(gradient, gradient, 1 - m_beta2);
                const auto denominator = at::sqrt(second).div_(correction).add_(m_epsilon);
                m_second[i].pack(std::move(second), piece, m_unsigned);
                auto first = m_first[i].unpacked(piece, m_signed);
                first.mul_(m_beta1).add_(gradient, 1 - m_beta1);
                piece.of(group.values[i]).addcdiv_(first, denominator, -rate);
                m_first[i].pack(std::move(first), piece, m_signed);
            }
        }
    }

    void forEachState(const StateVisitor& body) const override
    {
        for (size_t i = 0; i < m_first.size(); ++i) {
            body(i, "first_moment", m_first[i].codes);
            body(i, "first_moment_scales", m_first[i].scales);
            body(i, "second_moment", m_second[i].codes);
            body(i, "second_moment_scales", m_second[i].scales);
        }
    }

private:
    double m_beta1, m_beta2, m_epsilon;
    Codes m_signed, m_unsigned;
    std::vector<Moment> m_first, m_second;
};

} // namespace

std::unique_ptr<UpdateRule> makeAdamW8bit(const TrainedGroup& group, const RunConfig& config)
{
    return std::make_unique<AdamW8bit>(group, config);
}

} // namespace tunebench
