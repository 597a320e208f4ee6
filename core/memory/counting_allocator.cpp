#include "core/memory/counting_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <cstdlib>
#include <memory>
#include <new>

namespace tunebench {
namespace {

/// Lies before each block of the CPU: raw_deallocate hands over nothing but the address. One rounding unit long, so
/// that the block itself keeps its alignment.
struct alignas(MemoryLedger::rounding) BlockHeader {
    int64_t bytes;
    MemoryCategory category;
};

class CpuCountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        if (bytes == 0)
            return { nullptr, nullptr, &release, c10::Device(c10::kCPU) };
        const int64_t size = MemoryLedger::rounded(bytes);
        const MemoryCategory category = CategoryScope::current();
        TORCH_CHECK_WITH(OutOfMemoryError, cpuLedger().add(size, category), "Out of memory: ", size,
            " more bytes would pass the memory limit of ", cpuLedger().limit(), " bytes (", cpuLedger().allocated(),
            " in use).");
        void* memory = std::aligned_alloc(MemoryLedger::rounding, static_cast<size_t>(size) + sizeof(BlockHeader));
        if (!memory) {
            cpuLedger().refuse(size, category);
            TORCH_CHECK_WITH(OutOfMemoryError, false, "Out of memory: the system has no ", size, " bytes left.");
        }
        auto* header = new (memory) BlockHeader { size, category };
        void* block = header + 1;
        return { block, block, &release, c10::Device(c10::kCPU) };
    }

    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* target, const void* source, size_t bytes) const override
    {
        default_copy_data(target, source, bytes);
    }

private:
    static void release(void* block)
    {
        if (!block)
            return;
        BlockHeader* header = static_cast<BlockHeader*>(block) - 1;
        cpuLedger().subtract(header->bytes, header->category);
        std::free(header); // NOLINT(cppcoreguidelines-no-malloc): pairs with aligned_alloc above
    }
};

/// The trace that the thread writes, if any.
thread_local MetaTrace* currentTrace = nullptr;

/// What stands for a block of the meta device, which has no memory.
struct MetaBlock {
    int64_t asked; ///< bytes
    int64_t bytes; ///< rounded
    MemoryCategory category;
    uint32_t number; ///< in the trace
};

class MetaCountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        MetaTrace* trace = currentTrace;
        const auto asked = static_cast<int64_t>(bytes);
        auto block = std::make_unique<MetaBlock>(MetaBlock { asked,
            trace ? roundedUp(asked, trace->unit()) : MemoryLedger::rounded(bytes), CategoryScope::current(), 0 });
        TORCH_CHECK_WITH(OutOfMemoryError, metaLedger().add(block->bytes, block->category),
            "Out of memory: the plan passes its limit of ", metaLedger().limit(), " bytes.");
        if (trace && bytes > 0)
            block->number = trace->allocated(asked);
        return { nullptr, block.release(), &release, c10::Device(c10::kMeta) };
    }

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void*, const void*, size_t) const override { }

private:
    static void release(void* context)
    {
        const std::unique_ptr<MetaBlock> block(static_cast<MetaBlock*>(context));
        metaLedger().subtract(block->bytes, block->category);
        if (MetaTrace* trace = currentTrace; trace && block->asked > 0)
            trace->released(block->number, block->asked);
    }
};

} // namespace

MemoryLedger& cpuLedger()
{
    static MemoryLedger ledger;
    return ledger;
}

MemoryLedger& metaLedger()
{
    static thread_local MemoryLedger ledger;
    return ledger;
}

MemoryLedger& offloadLedger()
{
    static thread_local MemoryLedger ledger;
    return ledger;
}

MetaTrace::MetaTrace(int64_t unit)
    : m_unit(unit)
{
    currentTrace = this;
}

MetaTrace::~MetaTrace()
{
    currentTrace = nullptr;
}

uint32_t MetaTrace::allocated(int64_t bytes)
{
    m_events.push_back({ bytes, m_blocks, false, PlaceScope::current() });
    return m_blocks++;
}

void MetaTrace::released(uint32_t block, int64_t bytes)
{
    m_events.push_back({ bytes, block, true, PlaceScope::current() });
}

void installCountingAllocators()
{
    static CpuCountingAllocator cpu;
    static MetaCountingAllocator meta;
    static const bool installed = [] {
        c10::SetCPUAllocator(&cpu, 1);
        c10::SetAllocator(c10::kMeta, &meta, 1);
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace tunebench
