#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

namespace tunebench {

/// What memory is for. The one vocabulary of plan, live plot, summary and out-of-memory texts.
enum class MemoryCategory : uint8_t {
    weights,
    trainableWeights,
    gradients,
    optimizer,
    savedActivations,
    logitsAndLoss,
    temporary,
};
inline constexpr size_t memoryCategoryCount = 7;
std::string_view memoryCategoryName(MemoryCategory category);

/// Bytes by category.
using MemoryBreakdown = std::array<int64_t, memoryCategoryCount>;

/// While it lives, what the calling thread allocates is counted under `category`; the innermost one counts.
class CategoryScope {
public:
    explicit CategoryScope(MemoryCategory category);
    CategoryScope(const CategoryScope&) = delete;
    CategoryScope& operator=(const CategoryScope&) = delete;
    ~CategoryScope();

    static MemoryCategory current();

private:
    MemoryCategory m_before;
};

/// What the calling thread is doing: for saying where a peak is.
struct MemoryPlace {
    int layer = -1; ///< of the decoder; -1: none
    std::string_view operation = "load"; ///< load, embedding, attention, mlp, head and loss, clip, optimizer, ...
    /// load, reference, forward, recompute, backward, update, evaluation, answer
    std::string_view pass = "load";

    bool operator==(const MemoryPlace&) const = default;
};

/// While it lives, the calling thread is at `place`.
class PlaceScope {
public:
    explicit PlaceScope(MemoryPlace place);
    /// Another operation of the same layer and pass.
    explicit PlaceScope(std::string_view operation);
    /// One of another layer in the same pass; -1: of none.
    PlaceScope(int layer, std::string_view operation);
    PlaceScope(const PlaceScope&) = delete;
    PlaceScope& operator=(const PlaceScope&) = delete;
    ~PlaceScope();

    static MemoryPlace current();
    /// Where the calling thread was when an exception that has been caught since the last call began to unwind it.
    static std::optional<MemoryPlace> takeFailed();

private:
    MemoryPlace m_before;
    int m_exceptions; ///< in flight when the scope began
};

/// What was refused, and what was live then.
struct MemoryRefusal {
    int64_t requested = 0; ///< bytes
    int64_t allocated = 0; ///< bytes
    MemoryBreakdown live {}; ///< adds up to `allocated`
    MemoryPlace place;
};

/// Live bytes of one device, as its counting allocator sees them. Safe from several threads.
class MemoryLedger {
public:
    /// CPU tensors are rounded up to 64 bytes, as LibTorch aligns them.
    static constexpr size_t rounding = 64;
    static int64_t rounded(size_t bytes);

    /// False, and nothing counted, when the limit would be passed; the refusal is kept.
    bool add(int64_t bytes, MemoryCategory category);
    void subtract(int64_t bytes, MemoryCategory category);

    /// Takes back what add() counted, since the system had no memory for it; the refusal is kept.
    void refuse(int64_t bytes, MemoryCategory category);
    /// The newest refusal since the last call.
    std::optional<MemoryRefusal> takeRefusal();

    int64_t allocated() const;
    int64_t peak() const;
    MemoryBreakdown breakdown() const;
    MemoryBreakdown breakdownAtPeak() const;
    MemoryPlace placeOfPeak() const;

    /// The peak starts again from what is live now.
    void resetPeak();
    /// Bytes that may be live at once; 0: no limit.
    void setLimit(int64_t bytes);
    int64_t limit() const;

private:
    mutable std::mutex m_mutex;
    int64_t m_allocated = 0;
    int64_t m_peak = 0;
    int64_t m_limit = 0;
    MemoryBreakdown m_byCategory {};
    MemoryBreakdown m_atPeak {};
    MemoryPlace m_placeOfPeak;
    std::optional<MemoryRefusal> m_refusal;
};

} // namespace tunebench
