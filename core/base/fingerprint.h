#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tunebench {

/// Tells whether content has changed: 64-bit FNV-1a (Fowler, Noll, Vo), no protection against forgery.
class Fingerprint {
public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

    /// 16 hexadecimal digits.
    std::string text() const;

private:
    uint64_t m_hash = 0xcbf29ce484222325;
};

} // namespace tunebench
