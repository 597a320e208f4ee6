#include "core/ops/nf4_quantizer.h"

#include "core/ops/dynamic_map.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mean.h>
#include <algorithm>
#include <bit>
#include <cmath>

namespace tunebench {
namespace {

constexpr size_t blockSize = Nf4Weight::blockSize;
constexpr size_t groupSize = Nf4Weight::groupSize;
constexpr float leastScale = 1e-38F; ///< to divide by

/// The largest magnitude; not a number when one is not. Bits of floats without their sign are in the same order.
float largestMagnitude(std::span<const float> numbers)
{
    uint32_t largest = 0;
    for (const float number : numbers)
        largest = std::max(largest, std::bit_cast<uint32_t>(number) & 0x7fffffffU);
    return std::bit_cast<float>(largest);
}

/// How many values lie nearer to 0's side than the number: its code. Half-way it is the lower one's.
uint32_t codeOf(float number)
{
    uint32_t code = 0;
    for (size_t i = 0; i + 1 < nf4Values.size(); ++i)
        code += number > (nf4Values[i] + nf4Values[i + 1]) / 2 ? 1 : 0;
    return code;
}

/// Packs one block and returns its scale.
float packBlock(std::span<const float> numbers, uint8_t* packed)
{
    const float largest = largestMagnitude(numbers);
    const bool whole = numbers.size() == blockSize;
    const float divisor = std::max(largest, leastScale);
    std::array<uint32_t, blockSize> codes {};
    codes.fill(codeOf(0));
    for (size_t i = 0; i < numbers.size(); ++i) {
        // bitsandbytes multiplies whole blocks by the reciprocal, and divides the last one.
        const float scaled = whole ? numbers[i] * (1 / divisor) : numbers[i] / divisor;
        codes[i] = codeOf(std::clamp(scaled, -1.0F, 1.0F));
    }
    for (size_t i = 0; i < (numbers.size() + 1) / 2; ++i)
        packed[i] = static_cast<uint8_t>(codes[2 * i] << 4U | codes[2 * i + 1]);
    return whole ? largest : divisor;
}

/// Writes the codes of a group of scales and returns the scale of the group. `borders` lie between the values of the
/// map; half-way the lower one is taken.
float codeGroup(std::span<const float> scales, std::span<const float> borders, uint8_t* codes)
{
    const float largest = largestMagnitude(scales);
    const float factor = 1 / std::max(largest, leastScale);
    std::ranges::transform(scales, codes, [&](float scale) {
        return static_cast<uint8_t>(std::ranges::lower_bound(borders, scale * factor) - borders.begin());
    });
    return largest;
}

/// Copies numbers of the host to the target from its place `first` on.
template <class Number> void copyTo(const at::Tensor& target, int64_t first, std::span<Number> numbers)
{
    const auto count = std::ssize(numbers);
    target.narrow(0, first, count)
        .copy_(at::from_blob(numbers.data(), { count }, at::TensorOptions().dtype(target.scalar_type())));
}

} // namespace

void Nf4Quantizer::add(std::span<const float> numbers)
{
    const size_t blocks = (numbers.size() + blockSize - 1) / blockSize;
    const size_t before = m_scales.size();
    m_scales.resize(before + blocks);
    m_packed.resize((numbers.size() + 1) / 2);
    constexpr int64_t grain = 128;
    at::parallel_for(0, static_cast<int64_t>(blocks), grain, [&](int64_t begin, int64_t end) {
        for (auto block = static_cast<size_t>(begin); block < static_cast<size_t>(end); ++block) {
            const size_t first = block * blockSize;
            const auto part = numbers.subspan(first, std::min(blockSize, numbers.size() - first));
            m_scales[before + block] = packBlock(part, m_packed.data() + first / 2);
        }
    });
    copyTo<uint8_t>(m_target.packed, m_numbers / 2, m_packed);
    m_numbers += std::ssize(numbers);
}

void Nf4Quantizer::finish()
{
    const auto all = at::from_blob(m_scales.data(), { std::ssize(m_scales) }, at::TensorOptions().dtype(at::kFloat));
    m_target.meanScale = at::mean(all).item<float>();
    for (float& scale : m_scales)
        scale -= m_target.meanScale;

    const auto between = middles(dynamicMap(true));
    const std::span borders(between.const_data_ptr<float>(), static_cast<size_t>(between.numel()));
    std::vector<uint8_t> codes(m_scales.size());
    std::vector<float> groups;
    for (size_t first = 0; first < m_scales.size(); first += groupSize) {
        const auto scales
            = std::span<const float>(m_scales).subspan(first, std::min(groupSize, m_scales.size() - first));
        groups.push_back(codeGroup(scales, borders, codes.data() + first));
    }
    copyTo<uint8_t>(m_target.scaleCodes, 0, codes);
    copyTo<float>(m_target.groupScales, 0, groups);
}

} // namespace tunebench
