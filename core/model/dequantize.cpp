#include "core/model/dequantize.h"

#include <bit>
#include <cstdint>
#include <cstring>

// This file is compiled with -ffp-contract=off: a fused multiply-add would round differently from ggml's values.

namespace tunebench {
namespace {

using Byte = std::uint8_t;

template <class T> T load(const Byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// IEEE half to single without branches on the exponent: the FP16 library's method (Marat Dukhan).
float halfToFloat(uint16_t half)
{
    const uint32_t word = uint32_t { half } << 16;
    const uint32_t doubled = word + word;
    const float normal = std::bit_cast<float>((doubled >> 4) + (uint32_t { 0xE0 } << 23)) * 0x1.0p-112F;
    const float subnormal = std::bit_cast<float>((doubled >> 17) | (uint32_t { 126 } << 23)) - 0.5F;
    const uint32_t sign = word & 0x80000000U;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(doubled < (1U << 27) ? subnormal : normal));
}

float half(const Byte* at)
{
    return halfToFloat(load<uint16_t>(at));
}

int low(Byte byte)
{
    return byte & 15;
}

int high(Byte byte)
{
    return byte >> 4;
}

void f32(const Byte* block, float* out)
{
    *out = load<float>(block);
}

void f16(const Byte* block, float* out)
{
    *out = half(block);
}

void bf16(const Byte* block, float* out)
{
    *out = std::bit_cast<float>(uint32_t { load<uint16_t>(block) } << 16);
}

/// scale | 16 bytes of nibbles
void q4_0(const Byte* block, float* out)
{
    const float scale = half(block);
    for (int i = 0; i < 16; ++i) {
        out[i] = static_cast<float>(low(block[2 + i]) - 8) * scale;
        out[i + 16] = static_cast<float>(high(block[2 + i]) - 8) * scale;
    }
}

/// scale | minimum | 16 bytes of nibbles
void q4_1(const Byte* block, float* out)
{
    const float scale = half(block);
    const float least = half(block + 2);
    for (int i = 0; i < 16; ++i) {
        out[i] = static_cast<float>(low(block[4 + i])) * scale + least;
        out[i + 16] = static_cast<float>(high(block[4 + i])) * scale + least;
    }
}

/// The fifth bit of number i of a q5 block.
int fifthBit(uint32_t bits, int i)
{
    return static_cast<int>(bits >> i & 1U) << 4;
}

/// scale | 32 fifth bits | 16 bytes of nibbles
void q5_0(const Byte* block, float* out)
{
    const float scale = half(block);
    const auto bits = load<uint32_t>(block + 2);
    for (int i = 0; i < 16; ++i) {
        out[i] = static_cast<float>((low(block[6 + i]) | fifthBit(bits, i)) - 16) * scale;
        out[i + 16] = static_cast<float>((high(block[6 + i]) | fifthBit(bits, i + 16)) - 16) * scale;
    }
}

/// scale | minimum | 32 fifth bits | 16 bytes of nibbles
void q5_1(const Byte* block, float* out)
{
    const float scale = half(block);
    const float least = half(block + 2);
    const auto bits = load<uint32_t>(block + 4);
    for (int i = 0; i < 16; ++i) {
        out[i] = static_cast<float>(low(block[8 + i]) | fifthBit(bits, i)) * scale + least;
        out[i + 16] = static_cast<float>(high(block[8 + i]) | fifthBit(bits, i + 16)) * scale + least;
    }
}

/// scale | 32 signed bytes
void q8_0(const Byte* block, float* out)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        out[i] = static_cast<float>(static_cast<int8_t>(block[2 + i])) * scale;
}

struct ScaleAndMin {
    float scale;
    float least;
};

/// Scale and minimum of sub-block j (of 8) of a q4_K or q5_K block: 6 bits each, packed into 12 bytes at offset 4.
ScaleAndMin subBlock(const Byte* block, int j)
{
    const Byte* packed = block + 4;
    const int scale = j < 4 ? packed[j] & 63 : low(packed[j + 4]) | packed[j - 4] >> 6 << 4;
    const int least = j < 4 ? packed[j + 4] & 63 : high(packed[j + 4]) | packed[j] >> 6 << 4;
    return { half(block) * static_cast<float>(scale), half(block + 2) * static_cast<float>(least) };
}

/// scale | scale of minima | 12 bytes of sub-scales | 128 bytes of nibbles
void q4_k(const Byte* block, float* out)
{
    const Byte* nibbles = block + 16;
    for (int j = 0; j < 8; j += 2, nibbles += 32, out += 64) {
        const auto first = subBlock(block, j);
        const auto second = subBlock(block, j + 1);
        for (int i = 0; i < 32; ++i) {
            out[i] = first.scale * static_cast<float>(low(nibbles[i])) - first.least;
            out[i + 32] = second.scale * static_cast<float>(high(nibbles[i])) - second.least;
        }
    }
}

/// scale | scale of minima | 12 bytes of sub-scales | 32 bytes of fifth bits | 128 bytes of nibbles
void q5_k(const Byte* block, float* out)
{
    const Byte* fifth = block + 16;
    const Byte* nibbles = block + 48;
    for (int j = 0; j < 8; j += 2, nibbles += 32, out += 64) {
        const auto first = subBlock(block, j);
        const auto second = subBlock(block, j + 1);
        for (int i = 0; i < 32; ++i) {
            out[i] = first.scale * static_cast<float>(low(nibbles[i]) | (fifth[i] >> j & 1) << 4) - first.least;
            out[i + 32]
                = second.scale * static_cast<float>(high(nibbles[i]) | (fifth[i] >> (j + 1) & 1) << 4) - second.least;
        }
    }
}

/// 128 bytes of nibbles | 64 bytes of upper pairs of bits | 16 signed sub-scales | scale
void q6_k(const Byte* block, float* out)
{
    const float scale = half(block + 208);
    for (int part = 0; part < 2; ++part, out += 128) {
        const Byte* nibbles = block + 64 * part;
        const Byte* upper = block + 128 + 32 * part;
        const Byte* scales = block + 192 + 8 * part;
        for (int i = 0; i < 128; ++i) {
            const Byte packed = nibbles[i % 64];
            const int bits = upper[i % 32] >> (i / 32 * 2) & 3;
            const int number = ((i < 64 ? low(packed) : high(packed)) | bits << 4) - 32;
            out[i] = scale * static_cast<float>(static_cast<int8_t>(scales[i / 16])) * static_cast<float>(number);
        }
    }
}

template <void (*block)(const Byte*, float*)>
void allBlocks(BlockLayout layout, std::span<const std::byte> bytes, std::span<float> out)
{
    const Byte* at = reinterpret_cast<const Byte*>(bytes.data());
    for (size_t i = 0; i < out.size(); i += static_cast<size_t>(layout.numbers), at += layout.bytes)
        block(at, out.data() + i);
}

} // namespace

bool holdsReals(StorageType type)
{
    using enum StorageType;
    return type != i64 && type != i32 && type != u8 && type != boolean;
}

void dequantize(StorageType type, std::span<const std::byte> blocks, std::span<float> out)
{
    const BlockLayout layout = blockLayout(type);
    switch (type) {
    case StorageType::f32:
        return allBlocks<f32>(layout, blocks, out);
    case StorageType::f16:
        return allBlocks<f16>(layout, blocks, out);
    case StorageType::bf16:
        return allBlocks<bf16>(layout, blocks, out);
    case StorageType::q4_0:
        return allBlocks<q4_0>(layout, blocks, out);
    case StorageType::q4_1:
        return allBlocks<q4_1>(layout, blocks, out);
    case StorageType::q5_0:
        return allBlocks<q5_0>(layout, blocks, out);
    case StorageType::q5_1:
        return allBlocks<q5_1>(layout, blocks, out);
    case StorageType::q8_0:
        return allBlocks<q8_0>(layout, blocks, out);
    case StorageType::q4_k:
        return allBlocks<q4_k>(layout, blocks, out);
    case StorageType::q5_k:
        return allBlocks<q5_k>(layout, blocks, out);
    case StorageType::q6_k:
        return allBlocks<q6_k>(layout, blocks, out);
    case StorageType::i64:
    case StorageType::i32:
    case StorageType::u8:
    case StorageType::boolean:
        break;
    }
}

} // namespace tunebench
