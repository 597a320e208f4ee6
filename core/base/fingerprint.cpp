#include "core/base/fingerprint.h"

namespace tunebench {

void Fingerprint::add(std::span<const std::byte> bytes)
{
    constexpr uint64_t prime = 0x100000001b3;
    for (const std::byte byte : bytes)
        m_hash = (m_hash ^ static_cast<uint64_t>(byte)) * prime;
}

std::string Fingerprint::text() const
{
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4)
        digits += "0123456789abcdef"[m_hash >> shift & 15];
    return digits;
}

} // namespace tunebench
