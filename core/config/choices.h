#pragma once

#include "core/config/run_config.h"

#include <array>
#include <string_view>

namespace tunebench {

/// The names of an enumeration's values in JSON and on the command line, in the order of the enumeration.
template <class Choice> struct ChoiceNames;

template <> struct ChoiceNames<DatasetFormat> {
    static constexpr std::array<std::string_view, 9> names { "auto", "alpaca", "sharegpt", "messages",
        "prompt_completion", "question_answer", "text", "tokens", "preference" };
};
template <> struct ChoiceNames<Truncation> {
    static constexpr std::array<std::string_view, 3> names { "right", "left", "drop" };
};
template <> struct ChoiceNames<LossOn> {
    static constexpr std::array<std::string_view, 2> names { "assistant", "all" };
};
template <> struct ChoiceNames<RowOrder> {
    static constexpr std::array<std::string_view, 3> names { "shuffle", "sequential", "length_grouped" };
};
template <> struct ChoiceNames<Padding> {
    static constexpr std::array<std::string_view, 3> names { "none", "longest", "max_length" };
};
template <> struct ChoiceNames<PaddingSide> {
    static constexpr std::array<std::string_view, 2> names { "right", "left" };
};
template <> struct ChoiceNames<Objective> {
    static constexpr std::array<std::string_view, 2> names { "sft", "dpo" };
};
template <> struct ChoiceNames<DpoLoss> {
    static constexpr std::array<std::string_view, 2> names { "sigmoid", "ipo" };
};
template <> struct ChoiceNames<Method> {
    static constexpr std::array<std::string_view, 2> names { "lora", "full" };
};
template <> struct ChoiceNames<NumberType> {
    static constexpr std::array<std::string_view, 5> names { "auto", "fp32", "fp16", "bf16", "nf4" };
};
template <> struct ChoiceNames<GradientCheckpointing> {
    static constexpr std::array<std::string_view, 4> names { "off", "full", "selective", "offload" };
};
template <> struct ChoiceNames<OutOfMemoryAction> {
    static constexpr std::array<std::string_view, 2> names { "stop", "split" };
};
template <> struct ChoiceNames<Courtesy> {
    static constexpr std::array<std::string_view, 3> names { "off", "low", "high" };
};
template <> struct ChoiceNames<LossNormalization> {
    static constexpr std::array<std::string_view, 2> names { "tokens", "micro_batch_mean" };
};
template <> struct ChoiceNames<Scheduler> {
    static constexpr std::array<std::string_view, 6> names { "constant", "linear", "cosine", "cosine_restarts",
        "polynomial", "inverse_sqrt" };
};
template <> struct ChoiceNames<OptimizerKind> {
    static constexpr std::array<std::string_view, 5> names { "adamw", "adamw_8bit", "sgd", "lion", "adafactor" };
};

/// The name of one value: choiceName(NumberType::bf16) is "bf16".
template <class Choice> constexpr std::string_view choiceName(Choice choice)
{
    return ChoiceNames<Choice>::names.at(static_cast<size_t>(choice));
}

} // namespace tunebench
