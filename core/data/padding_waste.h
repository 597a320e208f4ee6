#pragma once

#include "core/data/length_statistics.h"

#include <array>
#include <stop_token>

namespace tunebench {

/// Slots that an epoch's micro-batches take when each is padded to its longest row (`padding: longest`), and how many
/// of them hold tokens. Rows are cut at `max_length`; batch size, accumulation, order, seed and packing are the
/// options'.
struct PaddingWaste {
    int64_t tokens = 0;
    int64_t paddedTokens = 0; ///< slots processed, as in the metrics

    double share() const; ///< of the slots, 0 to 1
};
PaddingWaste paddingWaste(std::span<const RowExtent> rows, const RunConfig& config);

/// The rows that a run with the options trains on, as truncation leaves them: the first max_rows, without those that
/// eval_share holds out. `rows` are those of a dataset in order, before truncation.
std::vector<RowExtent> trainingExtents(std::span<const RowExtent> rows, const RunConfig& config);

/// What padding to the longest row of a batch wastes with another order and batch size than the options'.
struct WasteByBatch {
    int64_t batchSize = 0;
    RowOrder order = RowOrder::shuffle;
    double share = 0; ///< of the slots, 0 to 1
};

/// Of the training rows, by batch size (1, 2, 4, 8, 16 and the options' own, rising) and, in it, by order (that of
/// `wasteOrders`). Empty when it was stopped.
std::vector<WasteByBatch> wastesByBatch(
    std::span<const RowExtent> rows, const RunConfig& config, const std::stop_token& stop = {});

inline constexpr std::array wasteOrders { RowOrder::shuffle, RowOrder::lengthGrouped, RowOrder::sequential };

} // namespace tunebench
