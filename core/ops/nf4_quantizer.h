#pragma once

#include "core/ops/nf4_weight.h"

#include <span>

namespace tunebench {

/// Fills a matrix that is held in 4 bits from its numbers, part after part, so that they need not be there all at once.
/// Numbers that are not finite make the whole matrix so.
class Nf4Quantizer {
public:
    explicit Nf4Quantizer(Nf4Weight& target)
        : m_target(target)
    {
    }

    /// The numbers that follow. All parts but the last are of whole blocks.
    void add(std::span<const float> numbers);
    /// When all have been added.
    void finish();

private:
    Nf4Weight& m_target;
    int64_t m_numbers = 0; ///< so far
    std::vector<uint8_t> m_packed; ///< of one part
    std::vector<float> m_scales; ///< of all blocks so far
};

} // namespace tunebench
