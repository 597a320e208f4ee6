#include "core/train/measure_operations.h"

#include "core/memory/device.h"
#include "core/ops/nf4_quantizer.h"
#include "core/train/operation_recorder.h"
#include "core/train/trainee.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tunebench {
namespace {

/// As the layers of a small language model are shaped, few of them. Gemma 2 does what other families leave out: soft
/// caps, norms behind, another activation.
ModelSpec decoderOf(const char* family)
{
    ModelSpec spec;
    applyFamily(spec, *familyByName(family));
    spec.hiddenSize = 768;
    spec.layers = 2;
    spec.heads = 12;
    spec.keyValueHeads = 4;
    spec.headSize = 64;
    spec.intermediateSize = 2048;
    spec.vocabularySize = 16384;
    spec.contextLength = 2048;
    spec.tiedEmbeddings = true;
    spec.attentionSoftcap = familyByName(family)->defaultAttentionSoftcap;
    spec.finalSoftcap = familyByName(family)->defaultFinalSoftcap;
    return spec;
}

/// Rows of the given lengths, the second half of each supervised.
MicroBatch microBatchOf(std::span<const size_t> lengths, const RunConfig& config)
{
    std::vector<TokenRow> rows;
    std::vector<Sequence> sequences;
    for (const size_t length : lengths) {
        TokenRow row;
        row.ids.resize(length);
        std::iota(row.ids.begin(), row.ids.end(), 0);
        row.labels.assign(row.ids.begin(), row.ids.end());
        std::fill_n(row.labels.begin(), length / 2, ignoredLabel);
        sequences.push_back({ rows.size() });
        rows.push_back(std::move(row));
    }
    return collate(rows, sequences, config, 0);
}

void fillAtRandom(Parameter& parameter)
{
    if (!parameter.packed) {
        parameter.value.normal_(0, 0.02);
        return;
    }
    const auto numbers = at::empty(parameter.shape(), at::TensorOptions().dtype(at::kFloat)).normal_(0, 0.02);
    Nf4Quantizer quantizer(*parameter.packed);
    quantizer.add({ numbers.const_data_ptr<float>(), static_cast<size_t>(numbers.numel()) });
    quantizer.finish();
}

/// Times steps of small decoders, operation by operation.
class StepTimer {
public:
    StepTimer(at::Device device, std::stop_token stop)
        : m_device(device)
        , m_stop(std::move(stop))
    {
    }

    /// Two steps for each shape of micro-batch, given as the rows' lengths: in the first one the libraries meet the
    /// shapes.
    void time(const char* family, const RunConfig& config, std::span<const std::vector<size_t>> shapes)
    {
        if (m_stop.stop_requested())
            return;
        const at::AutoDispatchBelowADInplaceOrView noGradients; // as training
        Trainee trainee = makeTrainee(config, decoderOf(family), nullptr, nullptr, m_device).value();
        trainee.decoder.forEachBaseParameter(fillAtRandom);
        for (const auto& lengths : shapes) {
            if (m_stop.stop_requested())
                return;
            const std::vector<MicroBatch> group { microBatchOf(lengths, config) };
            OperationRecorder recorder(m_device);
            const auto step = [&] {
                trainStep(trainee, config, group, 1e-4, [] { return true; });
                recorder.endStep();
            };
            step();
            releaseCachedMemory(m_device); // as training between steps, which then asks the system for memory again
            step();
            const auto timed = recorder.timed();
            m_timed.insert(m_timed.end(), timed.begin(), timed.end());
        }
    }

    std::vector<TimedOperation> takeTimed() { return std::move(m_timed); }

private:
    at::Device m_device;
    std::stop_token m_stop;
    std::vector<TimedOperation> m_timed;
};

} // namespace

std::vector<TimedOperation> measureOperations(NumberType type, at::Device device, const std::stop_token& stop)
{
    RunConfig config;
    config.device = device.is_cuda() ? device.str() : "cpu";
    config.precision = config.compute = type;
    StepTimer timer(device, stop);
    const std::array<std::vector<size_t>, 3> shapes { { { 48 }, { 96, 160, 224, 40 }, { 512, 384 } } };
    timer.time("llama", config, shapes);
    timer.time("gemma2", config, shapes);
    const auto oneShape = std::span(shapes).first(1);
    RunConfig more = config; // whole matrices made of pairs, and masks
    more.useDora = true;
    more.loraDropout = 0.1;
    timer.time("llama", more, oneShape);
    for (const NumberType held : { NumberType::nf4, NumberType::bf16, NumberType::fp16, NumberType::fp32 }) {
        RunConfig other = config; // weights are unpacked or cast for each product
        other.precision = held;
        if (held != type)
            timer.time("llama", other, oneShape);
    }
    if (type != NumberType::fp32) // trained tensors are fp32 whatever the products are
        return timer.takeTimed();
    config.method = Method::full;
    timer.time("llama", config, shapes);
    config.momentum = 0.9;
    for (const OptimizerKind optimizer :
        { OptimizerKind::adamw8bit, OptimizerKind::adafactor, OptimizerKind::lion, OptimizerKind::sgd }) {
        config.optimizer = optimizer;
        for (const Method method : { Method::lora, Method::full }) { // little to update, and much
            config.method = method;
            timer.time("llama", config, oneShape);
        }
    }
    return timer.takeTimed();
}

} // namespace tunebench
