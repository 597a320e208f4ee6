#pragma once

#include <ATen/core/Tensor.h>
#include <array>
#include <memory>
#include <vector>

namespace tunebench {

/// The values that 4-bit codes stand for, rising: quantiles of the normal distribution (Dettmers et al., "QLoRA",
/// 2023).
inline constexpr std::array<float, 16> nf4Values { -1.0F, -0.6961928009986877F, -0.5250730514526367F,
    -0.39491748809814453F, -0.28444138169288635F, -0.18477343022823334F, -0.09105003625154495F, 0.0F,
    0.07958029955625534F, 0.16093020141124725F, 0.24611230194568634F, 0.33791524171829224F, 0.44070982933044434F,
    0.5626170039176941F, 0.7229568362236023F, 1.0F };

/// What LibTorch's operations look codes up in.
struct Nf4Tables {
    at::Tensor pairs; ///< the two values of each byte, fp32: [256, 2]
    at::Tensor scales; ///< the dynamic map: [256]
};

/// A matrix held in 4 bits a number, as bitsandbytes holds it with quant_type nf4 and double quantisation. Row after
/// row it is cut into blocks of 64 numbers. A number is one of 16 values times its block's scale; a scale is a value of
/// the signed dynamic map times the scale of its group of 256, plus the mean of all scales.
struct Nf4Weight {
    static constexpr int64_t blockSize = 64; ///< numbers
    static constexpr int64_t groupSize = 256; ///< blocks

    std::vector<int64_t> shape; ///< [out, in]
    at::Tensor packed; ///< uint8, two codes a byte, the first in its upper half: [(numbers + 1) / 2]
    at::Tensor scaleCodes; ///< uint8: [blocks]
    at::Tensor groupScales; ///< fp32: [groups]
    float meanScale = 0;
    std::shared_ptr<const Nf4Tables> tables; ///< not there where the CPU's own kernel unpacks

    int64_t numbers() const { return shape[0] * shape[1]; }
    int64_t blocks() const { return scaleCodes.numel(); }
};

/// The tables on a device.
std::shared_ptr<const Nf4Tables> nf4Tables(at::Device device);

/// Room for a matrix, not yet filled. With `tables` it is unpacked by LibTorch's operations, a piece at a time, as on
/// CUDA; without, by a kernel for the CPU.
Nf4Weight makeNf4Weight(
    std::vector<int64_t> shape, at::Device device, std::shared_ptr<const Nf4Tables> tables = nullptr);

/// The numbers in `type`, rounded from fp32: a new tensor of the matrix's shape.
at::Tensor unpacked(const Nf4Weight& weight, at::ScalarType type);

} // namespace tunebench
