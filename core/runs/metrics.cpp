#include "core/runs/metrics.h"

#include "core/runs/flat_json.h"
#include "core/runs/json_fields.h"

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

constexpr std::array stepFields {
    JsonField<StepMetrics> { "step", &StepMetrics::step },
    JsonField<StepMetrics> { "epoch", &StepMetrics::epoch },
    JsonField<StepMetrics> { "loss", &StepMetrics::loss },
    JsonField<StepMetrics> { "grad_norm", &StepMetrics::gradNorm },
    JsonField<StepMetrics> { "learning_rate", &StepMetrics::learningRate },
    JsonField<StepMetrics> { "supervised_tokens", &StepMetrics::supervisedTokens },
    JsonField<StepMetrics> { "tokens", &StepMetrics::tokens },
    JsonField<StepMetrics> { "padded_tokens", &StepMetrics::paddedTokens },
    JsonField<StepMetrics> { "seconds", &StepMetrics::seconds },
    JsonField<StepMetrics> { "data_seconds", &StepMetrics::dataSeconds },
    JsonField<StepMetrics> { "forward_seconds", &StepMetrics::forwardSeconds },
    JsonField<StepMetrics> { "backward_seconds", &StepMetrics::backwardSeconds },
    JsonField<StepMetrics> { "recompute_seconds", &StepMetrics::recomputeSeconds },
    JsonField<StepMetrics> { "optimizer_seconds", &StepMetrics::optimizerSeconds },
    JsonField<StepMetrics> { "courtesy_seconds", &StepMetrics::courtesySeconds },
    JsonField<StepMetrics> { "tokens_per_second", &StepMetrics::tokensPerSecond },
    JsonField<StepMetrics> { "allocated", &StepMetrics::allocated },
    JsonField<StepMetrics> { "peak_allocated", &StepMetrics::peakAllocated },
    JsonField<StepMetrics> { "reserved", &StepMetrics::reserved },
    JsonField<StepMetrics> { "device_used", &StepMetrics::deviceUsed },
    JsonField<StepMetrics> { "device_shared", &StepMetrics::deviceShared },
    JsonField<StepMetrics> { "process", &StepMetrics::process },
    JsonField<StepMetrics> { "peak_process", &StepMetrics::peakProcess },
    JsonField<StepMetrics> { "cpu_utilization", &StepMetrics::cpuUtilization },
    JsonField<StepMetrics> { "device_utilization", &StepMetrics::deviceUtilization },
    JsonField<StepMetrics> { "power_watts", &StepMetrics::powerWatts },
    JsonField<StepMetrics> { "temperature", &StepMetrics::temperature },
    JsonField<StepMetrics> { "clock_mhz", &StepMetrics::clockMhz },
    JsonField<StepMetrics> { "loss_scale", &StepMetrics::lossScale },
    JsonField<StepMetrics> { "rewards_chosen", &StepMetrics::rewardsChosen },
    JsonField<StepMetrics> { "rewards_rejected", &StepMetrics::rewardsRejected },
    JsonField<StepMetrics> { "margin", &StepMetrics::margin },
    JsonField<StepMetrics> { "accuracy", &StepMetrics::accuracy },
};

constexpr std::array evalFields {
    JsonField<EvalMetrics> { "step", &EvalMetrics::step },
    JsonField<EvalMetrics> { "loss", &EvalMetrics::loss },
    JsonField<EvalMetrics> { "tokens", &EvalMetrics::tokens },
    JsonField<EvalMetrics> { "perplexity", &EvalMetrics::perplexity },
    JsonField<EvalMetrics> { "training_loss", &EvalMetrics::trainingLoss },
    JsonField<EvalMetrics> { "gap", &EvalMetrics::gap },
    JsonField<EvalMetrics> { "rewards_chosen", &EvalMetrics::rewardsChosen },
    JsonField<EvalMetrics> { "rewards_rejected", &EvalMetrics::rewardsRejected },
    JsonField<EvalMetrics> { "margin", &EvalMetrics::margin },
    JsonField<EvalMetrics> { "accuracy", &EvalMetrics::accuracy },
    JsonField<EvalMetrics> { "seconds", &EvalMetrics::seconds },
};

constexpr std::array answerFields {
    JsonField<AnswerMetrics> { "step", &AnswerMetrics::step },
    JsonField<AnswerMetrics> { "prompt", &AnswerMetrics::prompt },
    JsonField<AnswerMetrics> { "text", &AnswerMetrics::text },
    JsonField<AnswerMetrics> { "tokens", &AnswerMetrics::tokens },
    JsonField<AnswerMetrics> { "seconds", &AnswerMetrics::seconds },
};

std::span<const JsonField<StepMetrics>> fieldsOf(const StepMetrics& /*step*/)
{
    return stepFields;
}
std::span<const JsonField<EvalMetrics>> fieldsOf(const EvalMetrics& /*evaluation*/)
{
    return evalFields;
}
std::span<const JsonField<AnswerMetrics>> fieldsOf(const AnswerMetrics& /*answer*/)
{
    return answerFields;
}
const char* typeOf(const StepMetrics& /*step*/)
{
    return "step";
}
const char* typeOf(const EvalMetrics& /*evaluation*/)
{
    return "eval";
}
const char* typeOf(const AnswerMetrics& /*answer*/)
{
    return "answer";
}

std::string noteOf(const AnswerMetrics& answer)
{
    return answer.note;
}

/// The note, and the reason why a loss is null where nobody gave one.
template <class Record> std::string noteOf(const Record& record)
{
    if (!record.note.empty() || !record.loss || std::isfinite(*record.loss)) {
        return record.note;
    }
    return std::isnan(*record.loss) ? "the loss is not a number" : "the loss is infinite";
}

template <class Record> constexpr JsonField<Record> noteField { "note", &Record::note };

template <class Record> std::optional<Metrics> readRecord(const ordered_json& object)
{
    Record record;
    const auto step = object.find("step");
    if (step == object.end() || !step->is_number_integer() || !readFields(object, record, fieldsOf(record))) {
        return std::nullopt;
    }
    readField(record, noteField<Record>, object.value("note", ordered_json()));
    return record;
}

/// The same for a line in the form in which metricsToJson writes it; nothing for any other line, good or bad.
template <class Record> std::optional<Metrics> scanRecord(std::string_view line)
{
    Record record;
    const auto fields = fieldsOf(record);
    auto expected = fields.begin();
    bool hasStep = false;
    FlatJsonScanner scanner(line);
    std::string_view key;
    ordered_json value;
    while (scanner.next(key, value)) {
        auto field = expected;
        if (field == fields.end() || key != field->key) {
            field = std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return key == one.key; });
        }
        if (field != fields.end()) {
            hasStep = hasStep || (field->key == std::string_view("step") && value.is_number_integer());
            expected = field + 1;
            if (!readField(record, *field, value)) {
                return std::nullopt;
            }
        } else if (key == noteField<Record>.key) {
            readField(record, noteField<Record>, value);
        }
    }
    return scanner.atEnd() && hasStep ? std::optional<Metrics>(record) : std::nullopt;
}

std::optional<Metrics> scanMetrics(std::string_view line)
{
    if (line.starts_with(R"({"type":"step",)")) {
        return scanRecord<StepMetrics>(line);
    }
    return line.starts_with(R"({"type":"eval",)") ? scanRecord<EvalMetrics>(line) : std::nullopt;
}

} // namespace

ordered_json metricsToJson(const Metrics& metrics)
{
    return std::visit(
        [](const auto& record) {
            ordered_json object { { "type", typeOf(record) } };
            writeFields(object, record, fieldsOf(record));
            if (std::string note = noteOf(record); !note.empty()) {
                object["note"] = std::move(note);
            }
            return object;
        },
        metrics);
}

std::optional<Metrics> metricsFromJson(std::string_view line)
{
    if (auto metrics = scanMetrics(line)) {
        return metrics;
    }
    const ordered_json object = ordered_json::parse(line, nullptr, false);
    if (!object.is_object()) {
        return std::nullopt;
    }
    const auto type = object.find("type");
    if (type == object.end()) {
        return std::nullopt;
    }
    if (*type == "step") {
        return readRecord<StepMetrics>(object);
    }
    if (*type == "eval") {
        return readRecord<EvalMetrics>(object);
    }
    return *type == "answer" ? readRecord<AnswerMetrics>(object) : std::nullopt;
}

} // namespace tunebench
