#include "core/memory/caching_allocator.h"

#include <algorithm>
#include <iterator>

namespace tunebench {

CachingAllocator::CachingAllocator(int64_t limit)
    : m_limit(limit)
{
}

int64_t CachingAllocator::segmentFor(int64_t bytes)
{
    if (bytes <= smallRequest)
        return bytes > 0 ? smallSegment : 0;
    return bytes < largeRequest ? largeSegment : roundedUp(bytes, segmentRounding);
}

bool CachingAllocator::allocate(uint32_t name, int64_t asked)
{
    const int64_t bytes = std::max(roundTo, roundedUp(asked, roundTo));
    const bool small = bytes <= smallRequest;
    auto block = findFree(bytes, small);
    if (block == m_blocks.end())
        block = newSegment(bytes, small);
    if (block == m_blocks.end()) {
        giveBackFreeSegments();
        block = newSegment(bytes, small);
    }
    if (block == m_blocks.end())
        return false;
    split(block, bytes);
    setFree(block, false);
    m_addresses[name] = block->first;
    m_allocated += block->second.bytes;
    m_peakAllocated = std::max(m_peakAllocated, m_allocated);
    return true;
}

void CachingAllocator::release(uint32_t name)
{
    const auto known = m_addresses.find(name);
    auto block = m_blocks.find(known->second);
    m_addresses.erase(known);
    m_allocated -= block->second.bytes;
    setFree(block, true);
    const auto joinable = [&](Blocks::iterator other) {
        return other != m_blocks.end() && other->second.free && other->second.segment == block->second.segment;
    };
    if (const auto next = std::next(block); joinable(next))
        join(block, next);
    if (block == m_blocks.begin())
        return;
    if (const auto before = std::prev(block); joinable(before))
        join(before, block);
}

CachingAllocator::Blocks::iterator CachingAllocator::findFree(int64_t bytes, bool small)
{
    const auto found = m_free.lower_bound({ small, bytes, 0 });
    if (found == m_free.end() || std::get<bool>(*found) != small)
        return m_blocks.end();
    return m_blocks.find(std::get<2>(*found));
}

CachingAllocator::Blocks::iterator CachingAllocator::newSegment(int64_t bytes, bool small)
{
    const int64_t size = segmentFor(bytes);
    if (m_limit > 0 && m_reserved + size > m_limit)
        return m_blocks.end();
    m_reserved += size;
    m_peakReserved = std::max(m_peakReserved, m_reserved);
    const int64_t address = m_nextAddress;
    m_nextAddress += size;
    const auto block = m_blocks.emplace(address, Block { size, address, small, false }).first;
    setFree(block, true);
    return block;
}

void CachingAllocator::giveBackFreeSegments()
{
    for (auto block = m_blocks.begin(); block != m_blocks.end();) {
        const auto current = block++;
        const bool endsSegment = block == m_blocks.end() || block->second.segment != current->second.segment;
        if (!current->second.free || current->first != current->second.segment || !endsSegment)
            continue;
        m_reserved -= current->second.bytes;
        setFree(current, false);
        m_blocks.erase(current);
    }
}

void CachingAllocator::split(Blocks::iterator block, int64_t bytes)
{
    const int64_t left = block->second.bytes - bytes;
    const bool worthwhile = block->second.small ? left >= roundTo : left > smallRequest;
    if (!worthwhile)
        return;
    setFree(block, false);
    block->second.bytes = bytes;
    const auto rest
        = m_blocks.emplace(block->first + bytes, Block { left, block->second.segment, block->second.small, false });
    setFree(rest.first, true);
    setFree(block, true);
}

void CachingAllocator::join(Blocks::iterator block, Blocks::iterator next)
{
    setFree(next, false);
    setFree(block, false);
    block->second.bytes += next->second.bytes;
    m_blocks.erase(next);
    setFree(block, true);
}

void CachingAllocator::setFree(Blocks::iterator block, bool free)
{
    block->second.free = free;
    const std::tuple entry { block->second.small, block->second.bytes, block->first };
    if (free)
        m_free.insert(entry);
    else
        m_free.erase(entry);
}

int64_t peakReserved(std::span<const AllocationEvent> trace)
{
    CachingAllocator allocator;
    for (const AllocationEvent& event : trace) {
        if (event.released)
            allocator.release(event.block);
        else
            allocator.allocate(event.block, event.bytes);
    }
    return allocator.peakReserved();
}

} // namespace tunebench
