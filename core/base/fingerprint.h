#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH64_state_s;

namespace tunebench {

/// Tells whether content has changed: XXH64 with seed 0 (Yann Collet's xxHash), several bytes a cycle; no protection
/// against forgery.
class Fingerprint {
public:
    Fingerprint();

    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    /// The same for bytes of a MappedFile, however many: those that have been read do not stay in the process's memory.
    void addMapped(std::span<const std::byte> bytes);

    /// Of all bytes so far; more may follow.
    uint64_t value() const;

    /// The value as 16 hexadecimal digits.
    std::string text() const;

private:
    struct Free {
        void operator()(XXH64_state_s* state) const;
    };
    std::unique_ptr<XXH64_state_s, Free> m_state;
};

} // namespace tunebench
