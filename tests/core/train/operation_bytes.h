#pragma once

#include "core/memory/memory_ledger.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tunebench::test {

/// One operation of LibTorch, as its caller sees it.
struct OperationBytes {
    std::string name; ///< "aten::mul_"
    MemoryPlace place;
    int64_t most = 0; ///< bytes, at most while it computes, beyond what was live before

    std::string text() const;
};

/// The same operation at the same place that takes what was planned. A processor makes tensors of the numbers that an
/// operation is given, 64 bytes each, and oneDNN takes scratch for a product in 16 bits, up to some MiB.
bool takesWhatIsPlanned(const OperationBytes& planned, const OperationBytes& measured);

/// While it lives, notes what each operation of the calling thread takes. Left out are those outside of any pass, and
/// reading a number back, which meta has none of. The ledger's own peak is of no use meanwhile. One a thread at a time.
class OperationBytesRecorder {
public:
    explicit OperationBytesRecorder(MemoryLedger& ledger);
    OperationBytesRecorder(const OperationBytesRecorder&) = delete;
    OperationBytesRecorder& operator=(const OperationBytesRecorder&) = delete;
    ~OperationBytesRecorder();

    /// By place, then by name, then by what they took: a dry run makes one of several that are alike, which is here as
    /// often as the device makes it.
    std::vector<OperationBytes> operations() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tunebench::test
