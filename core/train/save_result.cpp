#include "core/train/save_result.h"

#include "core/model/model_folder.h"
#include "core/model/peft_adapter.h"

namespace tunebench {
namespace {

/// A tensor's numbers on the host, fp32.
at::Tensor onHost(const at::Tensor& tensor)
{
    return tensor.to(at::kCPU, at::kFloat).contiguous();
}

std::span<const float> numbers(const at::Tensor& hostTensor)
{
    return { hostTensor.const_data_ptr<float>(), static_cast<size_t>(hostTensor.numel()) };
}

Result<void> saveAdapter(const std::filesystem::path& folder, const RunInputs& inputs, Decoder& decoder)
{
    const RunConfig& config = inputs.config;
    AdapterToWrite adapter { { .rank = config.loraRank,
                                 .alpha = config.loraAlpha,
                                 .dropout = config.loraDropout,
                                 .rslora = config.useRslora,
                                 .dora = config.useDora,
                                 .targets = config.loraTargets,
                                 .modulesToSave = config.modulesToSave,
                                 .baseModelName = inputs.model.name },
        {} };
    std::vector<at::Tensor> kept; // the spans point into these
    for (const Parameter* parameter : decoder.trainedParameters()) {
        const auto host = kept.emplace_back(onHost(parameter->value));
        adapter.tensors.push_back({ parameter->name, host.sizes().vec(), numbers(host) });
    }
    return writePeftAdapter(folder, adapter);
}

Result<void> saveModel(
    const std::filesystem::path& folder, const RunInputs& inputs, Decoder& decoder, const Notice& notice)
{
    std::vector<at::Tensor> kept;
    std::vector<TensorToWrite> tensors;
    decoder.forEachBaseParameter([&](Parameter& parameter) {
        const auto host = kept.emplace_back(onHost(parameter.value));
        tensors.push_back({ { parameter.name, StorageType::f32, host.sizes().vec() }, std::as_bytes(numbers(host)) });
    });
    const auto notices = writeModelFolder(folder, inputs.config.model, tensors);
    if (!notices)
        return tl::unexpected(notices.error());
    for (const std::string& text : *notices)
        notice(text, false);
    return {};
}

} // namespace

Result<void> saveResult(
    const std::filesystem::path& run, const RunInputs& inputs, Trainee& trainee, const Notice& notice)
{
    if (inputs.config.method == Method::lora)
        return saveAdapter(run / "adapter", inputs, trainee.decoder);
    return saveModel(run / "model", inputs, trainee.decoder, notice);
}

} // namespace tunebench
