#include "core/base/fingerprint.h"

#include "core/base/files.h"

#include <algorithm>
#include <new>
#include <xxhash.h>

namespace tunebench {

void Fingerprint::Free::operator()(XXH64_state_s* state) const
{
    XXH64_freeState(state);
}

Fingerprint::Fingerprint()
    : m_state(XXH64_createState())
{
    if (!m_state)
        throw std::bad_alloc();
    XXH64_reset(m_state.get(), 0);
}

void Fingerprint::add(std::span<const std::byte> bytes)
{
    if (!bytes.empty())
        XXH64_update(m_state.get(), bytes.data(), bytes.size());
}

void Fingerprint::addMapped(std::span<const std::byte> bytes)
{
    constexpr size_t atOnce = size_t { 4 } << 20; // whole pages
    while (!bytes.empty()) {
        const auto part = bytes.first(std::min(atOnce, bytes.size()));
        add(part);
        releaseMapped(part);
        bytes = bytes.subspan(part.size());
    }
}

uint64_t Fingerprint::value() const
{
    return XXH64_digest(m_state.get());
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
