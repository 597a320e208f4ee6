#include "core/train/operation_recorder.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/pieces.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tunebench {
namespace {

using Clock = std::chrono::steady_clock;

/// Calls body(tensor) for each tensor among `values` and in lists among them.
template <class Values, class Body> void forEachTensor(const Values& values, Body body)
{
    for (const c10::IValue& value : values) {
        if (value.isTensor()) {
            if (value.toTensor().defined())
                body(value.toTensor());
        } else if (value.isTensorList()) {
            for (const at::Tensor& tensor : value.toTensorVector())
                body(tensor);
        }
    }
}

/// How many tensors the operation treats one after another: one, or those of a list.
double longestList(at::ArrayRef<const c10::IValue> values)
{
    size_t longest = 1;
    for (const c10::IValue& value : values) {
        if (value.isTensorList())
            longest = std::max(longest, value.toListRef().size());
    }
    return static_cast<double>(longest);
}

bool isProduct(std::string_view name)
{
    return name == "aten::mm" || name == "aten::addmm_" || name == "aten::addmm" || name == "aten::bmm"
        || name == "aten::baddbmm_" || name == "aten::baddbmm";
}

/// Sets the work of a product of [rows, inner] and [inner, columns], or batches of them.
void setProductWork(const at::Tensor& left, const at::Tensor& right, OperationCount& work)
{
    const auto rows = static_cast<double>(left.size(-2)), inner = static_cast<double>(left.size(-1)),
               columns = static_cast<double>(right.size(-1));
    const double batch = left.dim() == 3 ? static_cast<double>(left.size(0)) : 1;
    work.flops = 2 * batch * rows * inner * columns;
    work.elements = batch * rows * inner * columns / std::min({ rows, inner, columns });
}

} // namespace

struct OperationRecorder::State {
    /// Operations whose cost grows alike with their work.
    struct Kind {
        const char* name; ///< LibTorch's, which stays where it is
        at::ScalarType type; ///< of the first tensor
        bool parallel; ///< so many numbers that several threads share them

        /// As OperationCount has it.
        std::string text() const
        {
            return std::string(name) + " " + c10::toString(type) + (parallel ? " parallel" : "");
        }

        friend bool operator<(const Kind& a, const Kind& b)
        {
            return std::tie(a.name, a.type, a.parallel) < std::tie(b.name, b.type, b.parallel);
        }
    };
    using Counts = std::map<Kind, OperationCount>;

    std::optional<at::Device> timedOn;
    at::CallbackHandle callback = 0;
    int depth = 0;
    Clock::time_point begin;
    std::optional<Clock::time_point> end; ///< of the last operation, while what follows belongs to it
    Kind kind {}; ///< of the operation that runs
    OperationCount work; ///< of the operation that runs
    const c10::StorageImpl* firstStorage = nullptr; ///< of its first tensor, to compare with, not to look into
    std::set<std::tuple<Kind, double, double>> shapes; ///< met so far
    Counts passes, update;
    std::vector<std::pair<Kind, TimedOperation>> timed;

    static thread_local State* current;

    /// Inputs are there at the beginning alone.
    void begun(const at::RecordFunction& function)
    {
        addPause();
        kind = { function.name(), at::ScalarType::Undefined, false };
        work = { .calls = longestList(function.inputs()) };
        firstStorage = nullptr;
        const at::Tensor *last = nullptr, *lastButOne = nullptr;
        forEachTensor(function.inputs(), [&](const at::Tensor& tensor) {
            if (!last) {
                kind.type = tensor.scalar_type();
                firstStorage = tensor.storage().unsafeGetStorageImpl();
            }
            addTensor(tensor);
            lastButOne = std::exchange(last, &tensor);
        });
        if (isProduct(kind.name) && lastButOne) {
            setProductWork(*lastButOne, *last, work);
            work.bytes = 0;
            kind.parallel = false;
            work.shapes = shapes.insert({ kind, work.flops, work.elements }).second ? 1 : 0;
        }
        if (timedOn)
            begin = Clock::now();
    }

    /// What happens until the next operation, freeing memory above all, is part of what the last one costs.
    void addPause()
    {
        if (end)
            timed.back().second.seconds += std::chrono::duration<double>(Clock::now() - *end).count();
        end.reset();
    }

    void addTensor(const at::Tensor& tensor)
    {
        work.bytes += static_cast<double>(tensor.nbytes());
        kind.parallel = kind.parallel || tensor.numel() >= at::internal::GRAIN_SIZE;
    }

    /// A view of an input moves no bytes; what is computed in place does.
    void addOutput(const at::Tensor& tensor)
    {
        const bool inPlace = std::string_view(kind.name).ends_with('_');
        if (inPlace || tensor.storage().unsafeGetStorageImpl() != firstStorage)
            return addTensor(tensor);
        work.bytes = 0;
        kind.parallel = false;
    }

    void finished(const at::RecordFunction& function)
    {
        if (timedOn && timedOn->is_cuda())
            at::accelerator::synchronizeDevice(timedOn->index());
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (work.flops == 0)
            forEachTensor(function.outputs(), [this](const at::Tensor& tensor) { addOutput(tensor); });
        if (timedOn) {
            timed.push_back({ kind, { work, seconds } });
            if (timedOn->is_cpu()) // a card is busy while its host goes on
                end = Clock::now();
            return;
        }
        OperationCount& count = (PlaceScope::current().pass == "update" ? update : passes)[kind];
        const auto times = static_cast<double>(RepeatScope::times());
        count.calls += times * work.calls;
        count.shapes += work.shapes;
        count.flops += times * work.flops;
        count.elements += times * work.elements;
        count.bytes += times * work.bytes;
    }

    static std::unique_ptr<at::ObserverContext> started(const at::RecordFunction& function)
    {
        if (current->depth++ == 0)
            current->begun(function);
        return nullptr;
    }

    static void ended(const at::RecordFunction& function, at::ObserverContext*)
    {
        if (--current->depth == 0)
            current->finished(function);
    }
};

thread_local OperationRecorder::State* OperationRecorder::State::current = nullptr;

namespace {

template <class Counts> std::vector<OperationCount> listed(const Counts& counts)
{
    std::vector<OperationCount> list;
    for (const auto& [kind, count] : counts) {
        list.push_back(count);
        list.back().kind = kind.text();
    }
    return list;
}

} // namespace

OperationRecorder::OperationRecorder(std::optional<at::Device> timedOn)
    : m_state(std::make_unique<State>())
{
    m_state->timedOn = timedOn;
    State::current = m_state.get();
    m_state->callback = at::addThreadLocalCallback(at::RecordFunctionCallback(&State::started, &State::ended)
                                                       .needsInputs(true)
                                                       .needsOutputs(true)
                                                       .scopes({ at::RecordScope::FUNCTION }));
}

OperationRecorder::~OperationRecorder()
{
    at::removeCallback(m_state->callback);
    State::current = nullptr;
}

void OperationRecorder::endStep()
{
    m_state->addPause();
}

std::vector<OperationCount> OperationRecorder::ofPasses() const
{
    return listed(m_state->passes);
}

std::vector<OperationCount> OperationRecorder::ofUpdate() const
{
    return listed(m_state->update);
}

std::vector<TimedOperation> OperationRecorder::timed() const
{
    std::vector<TimedOperation> list;
    for (const auto& [kind, operation] : m_state->timed) {
        list.push_back(operation);
        list.back().work.kind = kind.text();
    }
    return list;
}

} // namespace tunebench
