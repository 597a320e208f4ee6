#include "core/memory/cuda_refusal.h"

#include "core/config/number_text.h"

#include <algorithm>
#include <array>
#include <regex>

namespace tunebench {
namespace {

/// The amount between two texts, "1.50 GiB", as c10::CachingAllocator::format_size writes it.
std::optional<int64_t> bytesBetween(const std::string& text, const char* before, const char* after)
{
    std::smatch found;
    const std::regex amount(before + std::string("([0-9.]+) (bytes|KiB|MiB|GiB)") + after);
    if (!std::regex_search(text, found, amount))
        return std::nullopt;
    constexpr std::array<std::string_view, 4> units { "bytes", "KiB", "MiB", "GiB" };
    const auto power = std::ranges::find(units, found.str(2)) - units.begin();
    const auto number = parseReal(found.str(1));
    return number ? std::optional(static_cast<int64_t>(*number * static_cast<double>(int64_t { 1 } << (10 * power))))
                  : std::nullopt;
}

} // namespace

CudaRefusal readCudaRefusal(const std::string& message)
{
    CudaRefusal refusal { bytesBetween(message, "Tried to allocate ", ""),
        bytesBetween(message, "Of the allocated memory ", " is allocated"), std::nullopt };
    const auto unused = bytesBetween(message, "and ", " is reserved by PyTorch but unallocated");
    if (refusal.allocated && unused)
        refusal.reserved = *refusal.allocated + *unused;
    return refusal;
}

} // namespace tunebench
