#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tunebench {

/// Tells whether content has changed: XXH64 with seed 0 (Yann Collet's xxHash specification), several bytes a cycle; no
/// protection against forgery.
class Fingerprint {
public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

    /// Of all bytes so far; more may follow.
    uint64_t value() const;

    /// The value as 16 hexadecimal digits.
    std::string text() const;

private:
    static constexpr size_t stripe = 32;

    void addStripe(const std::byte* bytes);

    std::array<uint64_t, 4> m_lanes { 0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0, 0x61c8864e7a143579 };
    std::array<std::byte, stripe> m_rest {}; ///< bytes that do not fill a stripe yet
    uint64_t m_size = 0;
};

} // namespace tunebench
