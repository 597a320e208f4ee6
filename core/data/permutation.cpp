#include "core/data/permutation.h"

#include <numeric>
#include <utility>

namespace tunebench {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15;

class SplitMix64 {
public:
    explicit SplitMix64(uint64_t state)
        : m_state(state)
    {
    }

    uint64_t next()
    {
        uint64_t z = (m_state += goldenGamma);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    /// Uniform in 0 .. bound-1.
    uint64_t below(uint64_t bound)
    {
        const uint64_t uneven = (0 - bound) % bound; // 2^64 mod bound: so many values would favour the low results
        for (;;) {
            const Wide product = static_cast<Wide>(next()) * bound;
            if (static_cast<uint64_t>(product) >= uneven)
                return static_cast<uint64_t>(product >> 64);
        }
    }

private:
    uint64_t m_state;
};

} // namespace

std::vector<size_t> permutation(size_t count, uint64_t seed, uint64_t stream)
{
    // Hashing seed and stream apart keeps seed 1, epoch 2 from being seed 2, epoch 1.
    SplitMix64 random(SplitMix64(seed).next() ^ SplitMix64(~stream).next());
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t { 0 });
    for (size_t left = count; left > 1; --left)
        std::swap(order[left - 1], order[random.below(left)]);
    return order;
}

} // namespace tunebench
