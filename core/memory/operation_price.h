#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tunebench {

/// How much of one kind of operation a computation asks for.
struct OperationCount {
    /// LibTorch's name, the number type of the first tensor, and whether threads share the work: "aten::add_ Float
    /// parallel"
    std::string kind;
    double calls = 0; ///< of operations on lists: tensors
    double shapes = 0; ///< of matrix products: different ones; a library may prepare itself for each
    double flops = 0; ///< of matrix products: 2 x rows x inner x columns
    double elements = 0; ///< of matrix products: of the largest of the three matrices
    double bytes = 0; ///< of all other operations: read and written
};

/// What a kind of operation costs on one device, seconds: a call, and each unit of work.
struct OperationPrice {
    std::string kind;
    double call = 0;
    double shape = 0;
    double flop = 0;
    double element = 0;
    double byte = 0;
};

/// An operation that was timed.
struct TimedOperation {
    OperationCount work; ///< calls 1; shapes 1 for the first of its shape, which pays for that
    double seconds = 0;
};

/// A price for each kind, fitted to what was timed: to the mean time of the middle half of the operations with the same
/// work, with the least squared error relative to the time and no part below zero. What the first of a shape takes
/// longer than the others is the price of a shape, in the mean of the middle half.
std::vector<OperationPrice> fitPrices(std::span<const TimedOperation> timed);

/// Seconds that the operations take by these prices. A kind without a price of its own is taken for one that costs as
/// the others do in the middle for its work.
double secondsOf(std::span<const OperationCount> counts, std::span<const OperationPrice> prices);

} // namespace tunebench
