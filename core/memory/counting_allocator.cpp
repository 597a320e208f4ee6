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
            cpuLedger().subtract(size, category);
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

class MetaCountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        auto record
            = std::make_unique<BlockHeader>(BlockHeader { MemoryLedger::rounded(bytes), CategoryScope::current() });
        TORCH_CHECK_WITH(OutOfMemoryError, metaLedger().add(record->bytes, record->category),
            "Out of memory: the plan passes its limit of ", metaLedger().limit(), " bytes.");
        return { nullptr, record.release(), &release, c10::Device(c10::kMeta) };
    }

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void*, const void*, size_t) const override { }

private:
    static void release(void* context)
    {
        const std::unique_ptr<BlockHeader> record(static_cast<BlockHeader*>(context));
        metaLedger().subtract(record->bytes, record->category);
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
    static MemoryLedger ledger;
    return ledger;
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
