#pragma once

#include <ATen/core/Tensor.h>
#include <algorithm>

namespace tunebench {

/// While it lives, what runs stands for so much work alike: whoever counts operations counts each so many times.
class RepeatScope {
public:
    explicit RepeatScope(int64_t times)
        : m_before(s_times)
    {
        s_times *= times;
    }
    RepeatScope(const RepeatScope&) = delete;
    RepeatScope& operator=(const RepeatScope&) = delete;
    ~RepeatScope() { s_times = m_before; }

    /// Of the calling thread; 1 outside.
    static int64_t times() { return s_times; }

private:
    inline static thread_local int64_t s_times = 1;
    int64_t m_before;
};

/// Calls body(first, count) for the rows of x, `most` of them at a time; it leaves nothing behind but what it writes.
/// So whole pieces are alike, and of those a dry run (x on meta) makes one, which stands for all.
template <class Body> void forEachPiece(const at::Tensor& x, int64_t most, Body body)
{
    const int64_t rows = x.size(0), whole = rows / most, made = x.is_meta() ? std::min<int64_t>(whole, 1) : whole;
    {
        const RepeatScope alike(made > 0 ? whole / made : 1);
        for (int64_t piece = 0; piece < made; ++piece)
            body(piece * most, most);
    }
    if (rows % most > 0)
        body(whole * most, rows % most);
}

} // namespace tunebench
