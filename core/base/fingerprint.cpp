#include "core/base/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tunebench {
namespace {

constexpr uint64_t prime1 = 0x9e3779b185ebca87;
constexpr uint64_t prime2 = 0xc2b2ae3d27d4eb4f;
constexpr uint64_t prime3 = 0x165667b19e3779f9;
constexpr uint64_t prime4 = 0x85ebca77c2b2ae63;
constexpr uint64_t prime5 = 0x27d4eb2f165667c5;

template <class Word> uint64_t read(const std::byte* bytes)
{
    static_assert(std::endian::native == std::endian::little);
    Word word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
}

uint64_t mixed(uint64_t lane, uint64_t input)
{
    return std::rotl(lane + input * prime2, 31) * prime1;
}

uint64_t merged(uint64_t hash, uint64_t lane)
{
    return (hash ^ mixed(0, lane)) * prime1 + prime4;
}

/// Takes in what did not fill a stripe.
uint64_t withRest(uint64_t hash, std::span<const std::byte> rest)
{
    for (; rest.size() >= 8; rest = rest.subspan(8))
        hash = std::rotl(hash ^ mixed(0, read<uint64_t>(rest.data())), 27) * prime1 + prime4;
    for (; rest.size() >= 4; rest = rest.subspan(4))
        hash = std::rotl(hash ^ read<uint32_t>(rest.data()) * prime1, 23) * prime2 + prime3;
    for (const std::byte byte : rest)
        hash = std::rotl(hash ^ static_cast<uint64_t>(byte) * prime5, 11) * prime1;
    return hash;
}

} // namespace

void Fingerprint::add(std::span<const std::byte> bytes)
{
    const size_t held = m_size % stripe;
    m_size += bytes.size();
    if (held > 0) {
        const size_t taken = std::min(stripe - held, bytes.size());
        std::copy_n(bytes.begin(), taken, m_rest.begin() + static_cast<std::ptrdiff_t>(held));
        bytes = bytes.subspan(taken);
        if (held + taken < stripe)
            return;
        addStripe(m_rest.data());
    }
    for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe))
        addStripe(bytes.data());
    std::copy(bytes.begin(), bytes.end(), m_rest.begin());
}

void Fingerprint::addStripe(const std::byte* bytes)
{
    for (size_t i = 0; i < m_lanes.size(); ++i)
        m_lanes[i] = mixed(m_lanes[i], read<uint64_t>(bytes + 8 * i));
}

uint64_t Fingerprint::value() const
{
    uint64_t hash = prime5;
    if (m_size >= stripe) {
        hash = std::rotl(m_lanes[0], 1) + std::rotl(m_lanes[1], 7) + std::rotl(m_lanes[2], 12)
            + std::rotl(m_lanes[3], 18);
        for (const uint64_t lane : m_lanes)
            hash = merged(hash, lane);
    }
    hash = withRest(hash + m_size, std::span(m_rest).first(m_size % stripe));
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

std::string Fingerprint::text() const
{
    const uint64_t hash = value();
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4)
        digits += "0123456789abcdef"[hash >> shift & 15];
    return digits;
}

} // namespace tunebench
