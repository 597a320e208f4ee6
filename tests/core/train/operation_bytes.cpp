#include "tests/core/train/operation_bytes.h"

#include "core/ops/pieces.h"

#include <ATen/record_function.h>
#include <algorithm>
#include <tuple>

namespace tunebench::test {

std::string OperationBytes::text() const
{
    return name + " (layer " + std::to_string(place.layer) + ", " + std::string(place.operation) + ", "
        + std::string(place.pass) + "): " + std::to_string(most) + " bytes";
}

bool takesWhatIsPlanned(const OperationBytes& planned, const OperationBytes& measured)
{
    constexpr int64_t numbers = 256, scratch = 2 << 20; // bytes
    const bool product = planned.name.find("mm") != std::string::npos;
    const int64_t more = measured.most - planned.most;
    return planned.name == measured.name && planned.place == measured.place && more >= 0
        && more <= (product ? scratch : numbers);
}

struct OperationBytesRecorder::State {
    MemoryLedger& ledger;
    at::CallbackHandle callback = 0;
    int depth = 0;
    int64_t before = 0; ///< bytes live when the operation began
    std::vector<OperationBytes> operations {};

    static thread_local State* current;

    static std::unique_ptr<at::ObserverContext> started(const at::RecordFunction&)
    {
        if (current->depth++ == 0) {
            current->ledger.resetPeak();
            current->before = current->ledger.allocated();
        }
        return nullptr;
    }

    static void ended(const at::RecordFunction& function, at::ObserverContext*)
    {
        if (--current->depth > 0)
            return;
        const MemoryPlace place = PlaceScope::current();
        if (place.pass != MemoryPlace().pass && std::string_view(function.name()) != "aten::item")
            current->operations.insert(current->operations.end(), static_cast<size_t>(RepeatScope::times()),
                { function.name(), place, current->ledger.peak() - current->before });
    }
};

thread_local OperationBytesRecorder::State* OperationBytesRecorder::State::current = nullptr;

OperationBytesRecorder::OperationBytesRecorder(MemoryLedger& ledger)
    : m_state(std::make_unique<State>(ledger))
{
    State::current = m_state.get();
    m_state->callback = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&State::started, &State::ended).scopes({ at::RecordScope::FUNCTION }));
}

OperationBytesRecorder::~OperationBytesRecorder()
{
    at::removeCallback(m_state->callback);
    State::current = nullptr;
}

std::vector<OperationBytes> OperationBytesRecorder::operations() const
{
    auto sorted = m_state->operations;
    std::ranges::sort(sorted, {}, [](const OperationBytes& operation) {
        const MemoryPlace& place = operation.place;
        return std::tuple(place.layer, place.operation, place.pass, std::string_view(operation.name), operation.most);
    });
    return sorted;
}

} // namespace tunebench::test
