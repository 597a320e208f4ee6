#include "core/memory/cuda_refusal.h"

#include "core/config/number_text.h"

#include <array>
#include <string_view>

namespace tunebench {
namespace {

/// The amount between two texts, "1.50 GiB", as c10::CachingAllocator::format_size writes it.
std::optional<int64_t> bytesBetween(std::string_view text, std::string_view before, std::string_view after)
{
    constexpr std::array<std::string_view, 4> units { "bytes", "KiB", "MiB", "GiB" };
    for (size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
        std::string_view rest = text.substr(at + before.size());
        const size_t space = rest.find(' ');
        if (space == std::string_view::npos)
            break;
        const auto number = parseReal(rest.substr(0, space));
        rest.remove_prefix(space + 1);
        for (size_t power = 0; number && power < units.size(); ++power) {
            if (rest.starts_with(units[power]) && rest.substr(units[power].size()).starts_with(after))
                return static_cast<int64_t>(*number * static_cast<double>(int64_t { 1 } << (10 * power)));
        }
    }
    return std::nullopt;
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
