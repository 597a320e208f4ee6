#pragma once

#include "core/model/peft_adapter.h"
#include "core/train/trainee.h"

#include <nlohmann/json.hpp>

namespace tunebench::test {

/// A small random model under tests/data/train, its rows and what transformers + PEFT made of them.
struct TinyModel {
    ModelFiles files;
    PeftAdapter adapter;
    std::vector<TokenRow> rows;
    nlohmann::json reference;
    std::string folder, adapterFolder;
};

/// With `kind` ("dora", "whole") the adapter is the one of that kind.
TinyModel openTinyModel(const std::string& family, const std::string& kind = {});

/// The options that the reference was made with: batch 4 x accumulation 2, AdamW, learning rate 1e-3, fp32.
RunConfig referenceConfig(Method method);

/// The same, LoRA with what the model's adapter was made with.
RunConfig adapterConfig(const TinyModel& model);

/// The micro-batches of optimizer step `step`, rows in order.
std::vector<MicroBatch> groupAt(const std::vector<TokenRow>& rows, const RunConfig& config, int64_t step);

/// A trainee on the CPU; with LoRA what is trained comes from the model's adapter.
Trainee makeTinyTrainee(const TinyModel& model, const RunConfig& config);

/// Gives all of the parameter's numbers the same value, however it is held.
void fillWith(Parameter& parameter, float value);

/// |a - b| / |b| over all numbers.
double relativeDistance(const at::Tensor& a, const at::Tensor& b);

} // namespace tunebench::test
