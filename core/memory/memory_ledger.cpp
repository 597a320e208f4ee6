#include "core/memory/memory_ledger.h"

#include <exception>
#include <utility>

namespace tunebench {
namespace {

thread_local MemoryCategory currentCategory = MemoryCategory::temporary;
thread_local MemoryPlace currentPlace;
thread_local std::optional<MemoryPlace> failedPlace;

size_t indexOf(MemoryCategory category)
{
    return static_cast<size_t>(category);
}

} // namespace

std::string_view memoryCategoryName(MemoryCategory category)
{
    static constexpr std::array<std::string_view, memoryCategoryCount> names { "weights", "trainable weights",
        "gradients", "optimizer", "saved activations", "logits and loss", "temporary" };
    return names[indexOf(category)];
}

CategoryScope::CategoryScope(MemoryCategory category)
    : m_before(currentCategory)
{
    currentCategory = category;
}

CategoryScope::~CategoryScope()
{
    currentCategory = m_before;
}

MemoryCategory CategoryScope::current()
{
    return currentCategory;
}

PlaceScope::PlaceScope(MemoryPlace place)
    : m_before(currentPlace)
    , m_exceptions(std::uncaught_exceptions())
{
    currentPlace = place;
}

PlaceScope::PlaceScope(std::string_view operation)
    : PlaceScope(currentPlace.layer, operation)
{
}

PlaceScope::PlaceScope(int layer, std::string_view operation)
    : PlaceScope(MemoryPlace { layer, operation, currentPlace.pass })
{
}

PlaceScope::~PlaceScope()
{
    // The innermost scope is left first.
    if (std::uncaught_exceptions() > m_exceptions && !failedPlace)
        failedPlace = currentPlace;
    currentPlace = m_before;
}

MemoryPlace PlaceScope::current()
{
    return currentPlace;
}

std::optional<MemoryPlace> PlaceScope::takeFailed()
{
    return std::exchange(failedPlace, std::nullopt);
}

int64_t MemoryLedger::rounded(size_t bytes)
{
    return static_cast<int64_t>((bytes + rounding - 1) / rounding * rounding);
}

bool MemoryLedger::add(int64_t bytes, MemoryCategory category)
{
    const std::lock_guard lock(m_mutex);
    if (m_limit > 0 && m_allocated + bytes > m_limit) {
        m_refusal = MemoryRefusal { bytes, m_allocated, m_byCategory, currentPlace };
        return false;
    }
    m_allocated += bytes;
    m_byCategory[indexOf(category)] += bytes;
    if (m_allocated > m_peak) {
        m_peak = m_allocated;
        m_atPeak = m_byCategory;
        m_placeOfPeak = currentPlace;
    }
    return true;
}

void MemoryLedger::subtract(int64_t bytes, MemoryCategory category)
{
    const std::lock_guard lock(m_mutex);
    m_allocated -= bytes;
    m_byCategory[indexOf(category)] -= bytes;
}

void MemoryLedger::refuse(int64_t bytes, MemoryCategory category)
{
    const std::lock_guard lock(m_mutex);
    m_allocated -= bytes;
    m_byCategory[indexOf(category)] -= bytes;
    m_refusal = MemoryRefusal { bytes, m_allocated, m_byCategory, currentPlace };
}

std::optional<MemoryRefusal> MemoryLedger::takeRefusal()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_refusal, std::nullopt);
}

int64_t MemoryLedger::allocated() const
{
    const std::lock_guard lock(m_mutex);
    return m_allocated;
}

int64_t MemoryLedger::peak() const
{
    const std::lock_guard lock(m_mutex);
    return m_peak;
}

MemoryBreakdown MemoryLedger::breakdown() const
{
    const std::lock_guard lock(m_mutex);
    return m_byCategory;
}

MemoryBreakdown MemoryLedger::breakdownAtPeak() const
{
    const std::lock_guard lock(m_mutex);
    return m_atPeak;
}

void MemoryLedger::resetPeak()
{
    const std::lock_guard lock(m_mutex);
    m_peak = m_allocated;
    m_atPeak = m_byCategory;
    m_placeOfPeak = currentPlace;
}

MemoryPlace MemoryLedger::placeOfPeak() const
{
    const std::lock_guard lock(m_mutex);
    return m_placeOfPeak;
}

void MemoryLedger::setLimit(int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_limit = bytes;
}

int64_t MemoryLedger::limit() const
{
    const std::lock_guard lock(m_mutex);
    return m_limit;
}

} // namespace tunebench
