#include "core/memory/published_speed.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tunebench {
namespace {

/// How a card multiplies numbers of one type.
struct Products {
    double flops = 0; ///< a second; 0: not at all
    double numberBytes = 0;
};

/// By the type in a kind's name ("aten::mm Half").
Products productsOf(std::string_view kind, const Card& card)
{
    if (kind.ends_with(" Half"))
        return { card.fp16Flops, 2 };
    if (kind.ends_with(" BFloat16"))
        return { card.bf16 ? card.fp16Flops : 0, 2 };
    return { kind.ends_with(" Float") ? card.fp32Flops : 0, 4 };
}

/// Operations that move far less than the tensors that they are given and return: a few rows of them, or nothing.
bool movesLittle(std::string_view kind)
{
    constexpr std::array names { "aten::embedding ", "aten::empty ", "aten::empty_like ", "aten::gather ",
        "aten::index_add_ ", "aten::index_copy_ ", "aten::index_select ", "aten::scatter_add_ " };
    return std::ranges::any_of(names, [&](std::string_view name) { return kind.starts_with(name); });
}

} // namespace

std::optional<double> secondsAtBest(std::span<const OperationCount> counts, const Card& card)
{
    double seconds = 0;
    for (const OperationCount& count : counts) {
        if (count.flops == 0) {
            seconds += movesLittle(count.kind) ? 0 : count.bytes / card.bytesPerSecond;
            continue;
        }
        const Products products = productsOf(count.kind, card);
        if (products.flops == 0)
            return std::nullopt;
        seconds += std::max(count.flops / products.flops, count.elements * products.numberBytes / card.bytesPerSecond);
    }
    return seconds;
}

} // namespace tunebench
