#pragma once

#include "core/memory/operation_price.h"

#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <vector>

namespace tunebench {

/// While it lives, it sees every operation that LibTorch runs for the calling thread, on any device, meta included.
/// What an operation calls in turn belongs to it. One a thread at a time.
class OperationRecorder {
public:
    /// Adds up how much of each kind is asked for, or, given a device, times each operation there,
    /// on the CPU up to the beginning of the next.
    explicit OperationRecorder(std::optional<at::Device> timedOn = std::nullopt);
    OperationRecorder(const OperationRecorder&) = delete;
    OperationRecorder& operator=(const OperationRecorder&) = delete;
    ~OperationRecorder();

    /// What follows until the next operation is not the last one's.
    void endStep();

    /// What the passes ask for, and what the optimizer's update does (PlaceScope tells the two apart); not timed.
    std::vector<OperationCount> ofPasses() const;
    std::vector<OperationCount> ofUpdate() const;
    /// Each operation, in order, where a device was given.
    std::vector<TimedOperation> timed() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tunebench
