#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tunebench {

enum class DatasetFormat {
    automatic,
    alpaca,
    sharegpt,
    messages,
    promptCompletion,
    questionAnswer,
    text,
    tokens,
    preference
};
enum class Truncation { right, left, drop };
enum class LossOn { assistant, all };
enum class RowOrder { shuffle, sequential, lengthGrouped };
enum class Padding { none, longest, maxLength };
enum class PaddingSide { right, left };
enum class Objective { sft, dpo };
enum class DpoLoss { sigmoid, ipo };
enum class Method { lora, full };
enum class NumberType { automatic, fp32, fp16, bf16, nf4 };
enum class GradientCheckpointing { off, full, selective, offload };
enum class OutOfMemoryAction { stop, split };
enum class Courtesy { off, low, high };
enum class LossNormalization { tokens, microBatchMean };
enum class Scheduler { constant, linear, cosine, cosineRestarts, polynomial, inverseSqrt };
enum class OptimizerKind { adamw, adamw8bit, sgd, lion, adafactor };

/// Everything a run is made of, as plain values. Each member has one row in the table of options (options.h), which
/// gives its key, default, range, unit, label and help; the member initialisers here are the defaults.
struct RunConfig {
    // model
    std::string model; ///< folder with config.json and *.safetensors, or a .gguf file
    std::optional<std::string> adapter; ///< PEFT LoRA folder to start from

    // data
    std::vector<std::string> dataset;
    std::vector<std::string> evalDataset;
    DatasetFormat datasetFormat = DatasetFormat::automatic;
    std::map<std::string, std::string> datasetColumns; ///< from the formats' column names to the table's
    std::optional<int64_t> maxRows;
    double evalShare = 0.05;
    bool evalAtStart = true;
    int64_t maxLength = 512; ///< tokens
    Truncation truncation = Truncation::right;
    LossOn lossOn = LossOn::assistant;
    RowOrder order = RowOrder::shuffle;
    Padding padding = Padding::none;
    PaddingSide paddingSide = PaddingSide::right;
    bool packing = false;

    // method
    Objective objective = Objective::sft;
    double dpoBeta = 0.1;
    DpoLoss dpoLoss = DpoLoss::sigmoid;
    Method method = Method::lora;
    int64_t loraRank = 8;
    double loraAlpha = 16;
    double loraDropout = 0; ///< share of an adapter's input
    std::vector<std::string> loraTargets = { "all-linear" };
    bool useRslora = false;
    bool useDora = false;
    std::vector<std::string> modulesToSave; ///< trained whole beside the pairs; names as PEFT matches them

    // memory and speed
    NumberType precision = NumberType::automatic; ///< how frozen base weights are held
    NumberType compute = NumberType::automatic; ///< type of the matrix products and the residual stream; not nf4
    GradientCheckpointing gradientCheckpointing = GradientCheckpointing::off;
    int64_t checkpointEveryLayers = 1;
    int64_t batchSize = 4; ///< rows per micro-batch
    int64_t accumulationSteps = 4; ///< micro-batches per optimizer step
    std::optional<int64_t> effectiveBatch; ///< rows per optimizer step, of which the two above are solved
    std::optional<int64_t> evalBatchSize; ///< rows; batchSize when absent
    std::string device = "auto"; ///< auto, cpu, cuda:N
    int64_t threads = 0; ///< 0: all cores
    std::optional<std::string> card; ///< a name in the card list, or an amount: limits the device's memory
    int64_t memoryLimit = 0; ///< bytes; 0: no limit
    OutOfMemoryAction onOutOfMemory = OutOfMemoryAction::stop;
    Courtesy courtesy = Courtesy::off;

    // optimisation
    LossNormalization lossNormalization = LossNormalization::tokens;
    double epochs = 1;
    std::optional<int64_t> maxSteps;
    std::optional<double> maxTemperature; ///< of the card, degrees Celsius
    std::optional<double> maxHours; ///< of training and evaluation, pauses left out
    double learningRate = 2e-4;
    Scheduler scheduler = Scheduler::linear;
    int64_t warmupSteps = 0;
    double warmupRatio = 0.03;
    int64_t schedulerCycles = 1; ///< of cosine_restarts
    double schedulerPower = 1; ///< of polynomial
    double learningRateEnd = 0; ///< of polynomial
    OptimizerKind optimizer = OptimizerKind::adamw;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double momentum = 0;
    double weightDecay = 0;
    double maxGradNorm = 1.0; ///< 0: no clipping
    double lossScale = 65536; ///< first value of the dynamic scale for fp16 products
    int64_t seed = 42;

    // output
    int64_t logEvery = 1; ///< optimizer steps
    int64_t evalEvery = 0; ///< optimizer steps; 0: only at the start and the end
    int64_t saveEvery = 0; ///< optimizer steps; 0: only at the end
    int64_t keepCheckpoints = 2;
    int64_t earlyStoppingPatience = 0; ///< evaluations; 0: never
    double earlyStoppingMinDelta = 0; ///< a smaller improvement is none
    std::optional<double> stopAtEvalLoss;
    std::vector<std::string> evalPrompts; ///< answered at each evaluation
    bool overfittingIntended = false; ///< rows learnt by heart are what is wanted: no warning

    /// Rows per optimizer step.
    int64_t rowsPerStep() const { return effectiveBatch.value_or(batchSize * accumulationSteps); }
    /// What the frozen tensors are held in that are not in 4 bits. Beside nf4 that is the type that products are made
    /// in where it has 16 bits, else bf16, which has the range of fp32.
    NumberType unpackedPrecision() const
    {
        if (precision != NumberType::nf4)
            return precision;
        return compute == NumberType::fp16 ? NumberType::fp16 : NumberType::bf16;
    }
    bool operator==(const RunConfig&) const = default;
};

} // namespace tunebench
