#pragma once

#include "core/config/cards.h"
#include "core/memory/operation_price.h"

#include <optional>
#include <span>

namespace tunebench {

/// Seconds that the operations take on a card that reaches its published speeds all the time, which none does: products
/// as many as it multiplies in their type, or as fast as it reads the largest of the three matrices; all else as fast
/// as it reads and writes memory, lookups for nothing. Nothing where it does not multiply in a type that occurs.
std::optional<double> secondsAtBest(std::span<const OperationCount> counts, const Card& card);

} // namespace tunebench
