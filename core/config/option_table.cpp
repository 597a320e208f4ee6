#include "core/config/option_table.h"

#include "core/config/choices.h"
#include "core/config/number_text.h"

namespace tunebench {

namespace {

using G = OptionGroup;

OptionRow row(std::string RunConfig::*member, Option option)
{
    option.kind = OptionKind::text;
    return { std::move(option), member };
}

OptionRow row(std::optional<std::string> RunConfig::*member, Option option)
{
    option.kind = OptionKind::text;
    option.optional = true;
    return { std::move(option), member };
}

OptionRow row(std::vector<std::string> RunConfig::*member, Option option)
{
    option.kind = OptionKind::textList;
    return { std::move(option), member };
}

OptionRow row(int64_t RunConfig::*member, Option option)
{
    option.kind = OptionKind::integer;
    return { std::move(option), member };
}

OptionRow row(std::optional<int64_t> RunConfig::*member, Option option)
{
    option.kind = OptionKind::integer;
    option.optional = true;
    return { std::move(option), member };
}

OptionRow row(double RunConfig::*member, Option option)
{
    option.kind = OptionKind::real;
    return { std::move(option), member };
}

OptionRow row(bool RunConfig::*member, Option option)
{
    option.kind = OptionKind::boolean;
    return { std::move(option), member };
}

template <class Choice> OptionRow row(Choice RunConfig::*member, Option option)
{
    option.kind = OptionKind::choice;
    option.choices.assign(ChoiceNames<Choice>::names.begin(), ChoiceNames<Choice>::names.end());
    return { std::move(option),
        ChoiceAccess { [member](const RunConfig& config) { return static_cast<size_t>(config.*member); },
            [member](RunConfig& config, size_t index) { config.*member = static_cast<Choice>(index); } } };
}

OptionRow path(OptionRow row)
{
    row.isPath = true;
    return row;
}

std::optional<std::string> checkDevice(const std::string& text)
{
    constexpr std::string_view cuda = "cuda:";
    const bool numbered = text.starts_with(cuda) && text.size() > cuda.size() && text.size() <= cuda.size() + 3
        && text.find_first_not_of("0123456789", cuda.size()) == std::string::npos;
    if (text == "auto" || text == "cpu" || numbered) {
        return std::nullopt;
    }
    return "auto, cpu or cuda:N (cuda:0 is the first card)";
}

OptionRow checked(OptionRow row, std::optional<std::string> (*check)(const std::string&))
{
    row.check = check;
    return row;
}

constexpr double million = 1e6;
constexpr double billion = 1e9;
constexpr double largestSeed = 9007199254740991; // whole numbers up to here survive any JSON reader
constexpr double pebibyte = 1125899906842624;

std::vector<OptionRow> modelRows()
{
    return {
        path(row(&RunConfig::model,
            { .key = "model",
                .group = G::model,
                .label = "Model",
                .help
                = "Model folder (config.json, *.safetensors, tokenizer.json) or a .gguf file. Empty: the demo model.",
                .huggingFaceName = "model_name_or_path" })),
        path(row(&RunConfig::adapter,
            { .key = "adapter",
                .group = G::model,
                .label = "Start from adapter",
                .help = "PEFT LoRA folder to start from; rank, alpha and targets come from its config." })),
        row(&RunConfig::method,
            { .key = "method",
                .group = G::model,
                .label = "Method",
                .help = "lora trains small matrices beside frozen weights; full trains every weight (held as fp32).",
                .huggingFaceName = "use_peft" }),
        row(&RunConfig::loraRank,
            { .key = "lora_rank",
                .group = G::model,
                .label = "LoRA rank",
                .help = "Inner size of the LoRA matrices: more can learn more and needs more memory.",
                .huggingFaceName = "r, lora_r",
                .least = 1,
                .most = 8192,
                .usualMost = 512 }),
        row(&RunConfig::loraAlpha,
            { .key = "lora_alpha",
                .group = G::model,
                .label = "LoRA alpha",
                .help = "The LoRA product is scaled by alpha / rank.",
                .huggingFaceName = "lora_alpha",
                .least = 0,
                .most = million,
                .leastExclusive = true }),
        row(&RunConfig::loraTargets,
            { .key = "lora_targets",
                .group = G::model,
                .label = "LoRA targets",
                .help = "Module names or suffixes (q_proj, v_proj), or all-linear: all projections of the blocks, not "
                        "the head.",
                .huggingFaceName = "target_modules, lora_target_modules",
                .least = 1 }),
    };
}

std::vector<OptionRow> dataRows()
{
    return {
        path(row(&RunConfig::dataset,
            { .key = "dataset",
                .group = G::data,
                .label = "Dataset",
                .help = "File or list of files (.json, .jsonl). Empty: the demo dataset.",
                .huggingFaceName = "dataset_name" })),
        path(row(&RunConfig::evalDataset,
            { .key = "eval_dataset",
                .group = G::data,
                .optional = true,
                .label = "Evaluation dataset",
                .help = "File or list of files that is held out whole; without one, eval_share rows are held out." })),
        row(&RunConfig::datasetFormat,
            { .key = "dataset_format",
                .group = G::data,
                .label = "Dataset format",
                .help = "What the rows are; auto finds it from their columns." }),
        row(&RunConfig::maxRows,
            { .key = "max_rows",
                .group = G::data,
                .label = "Rows at most",
                .unit = "rows",
                .help = "Use the first so many usable rows; none: all.",
                .huggingFaceName = "max_train_samples",
                .least = 1,
                .most = billion }),
        row(&RunConfig::evalShare,
            { .key = "eval_share",
                .group = G::data,
                .label = "Held-out share",
                .help = "Share of the rows held out for evaluation (8 to 200 rows; 0: none) when there is no "
                        "eval_dataset.",
                .huggingFaceName = "validation_split_percentage, test_size",
                .least = 0,
                .most = 0.5 }),
        row(&RunConfig::evalAtStart,
            { .key = "eval_at_start",
                .group = G::data,
                .label = "Evaluate at start",
                .help = "Evaluate the untouched model first, as step 0.",
                .huggingFaceName = "eval_on_start" }),
        row(&RunConfig::maxLength,
            { .key = "max_length",
                .group = G::data,
                .label = "Longest row",
                .unit = "tokens",
                .help = "Longer rows are cut; more than the model's context is an error.",
                .huggingFaceName = "max_seq_length",
                .least = 2,
                .most = million * 16 }),
        row(&RunConfig::truncation,
            { .key = "truncation",
                .group = G::data,
                .label = "Truncation",
                .help
                = "Where too long rows are cut: right keeps the beginning, left the end, drop leaves the row out.",
                .huggingFaceName = "truncation_mode, truncation_side" }),
        row(&RunConfig::lossOn,
            { .key = "loss_on",
                .group = G::data,
                .label = "Loss on",
                .help = "assistant: learn what the assistant says; all: every token.",
                .huggingFaceName = "assistant_only_loss, completion_only_loss" }),
        row(&RunConfig::order,
            { .key = "order",
                .group = G::data,
                .label = "Order of rows",
                .help = "shuffle draws a new order each epoch from the seed; sequential keeps the file's." }),
        row(&RunConfig::padding,
            { .key = "padding",
                .group = G::data,
                .label = "Padding",
                .help = "none puts rows side by side; longest and max_length pad, to study what padding costs (the "
                        "gradients are the same).",
                .huggingFaceName = "padding_free" }),
        row(&RunConfig::paddingSide,
            { .key = "padding_side",
                .group = G::data,
                .label = "Padding side",
                .help = "Where padding goes when there is some." }),
    };
}

std::vector<OptionRow> memoryRows()
{
    return {
        row(&RunConfig::precision,
            { .key = "precision",
                .group = G::memory,
                .label = "Weights held as",
                .help
                = "How frozen base weights are held. Trained tensors are always fp32, so method full needs fp32 or "
                  "auto here.",
                .huggingFaceName = "torch_dtype, dtype" }),
        row(&RunConfig::compute,
            { .key = "compute",
                .group = G::memory,
                .label = "Compute type",
                .help = "Type of the matrix products and the residual stream; auto takes the fastest that is right on "
                        "this device.",
                .huggingFaceName = "fp16, bf16" }),
        row(&RunConfig::gradientCheckpointing,
            { .key = "gradient_checkpointing",
                .group = G::memory,
                .label = "Gradient checkpointing",
                .help = "full recomputes each segment of layers in the backward pass: less memory, more time.",
                .huggingFaceName = "gradient_checkpointing" }),
        row(&RunConfig::checkpointEveryLayers,
            { .key = "checkpoint_every_layers",
                .group = G::memory,
                .label = "Layers per segment",
                .unit = "layers",
                .help = "Length of a recomputed segment.",
                .least = 1,
                .most = 1000 }),
        row(&RunConfig::batchSize,
            { .key = "batch_size",
                .group = G::memory,
                .label = "Batch size",
                .unit = "rows",
                .help = "Rows in a micro-batch: more is faster and needs more memory.",
                .huggingFaceName = "per_device_train_batch_size",
                .least = 1,
                .most = 65536 }),
        row(&RunConfig::accumulationSteps,
            { .key = "accumulation_steps",
                .group = G::memory,
                .label = "Accumulation",
                .unit = "micro-batches",
                .help = "Micro-batches in an optimizer step; batch_size times this is the effective batch.",
                .huggingFaceName = "gradient_accumulation_steps",
                .least = 1,
                .most = million }),
        row(&RunConfig::evalBatchSize,
            { .key = "eval_batch_size",
                .group = G::memory,
                .label = "Evaluation batch",
                .unit = "rows",
                .help = "Rows in a micro-batch of an evaluation; none: as batch_size.",
                .huggingFaceName = "per_device_eval_batch_size",
                .least = 1,
                .most = 65536 }),
        checked(row(&RunConfig::device,
                    { .key = "device",
                        .group = G::memory,
                        .label = "Device",
                        .help = "auto, cpu or cuda:N; auto takes the first card that can train, else the processor.",
                        .huggingFaceName = "use_cpu, no_cuda" }),
            checkDevice),
        row(&RunConfig::threads,
            { .key = "threads",
                .group = G::memory,
                .label = "Threads",
                .help = "Processor threads; 0: all cores.",
                .least = 0,
                .most = 1024 }),
        row(&RunConfig::memoryLimit,
            { .key = "memory_limit",
                .group = G::memory,
                .label = "Memory limit",
                .unit = "bytes",
                .help = "The device refuses more than this; 0: no limit.",
                .least = 0,
                .most = pebibyte }),
    };
}

std::vector<OptionRow> lengthAndRateRows()
{
    return {
        row(&RunConfig::lossNormalization,
            { .key = "loss_normalization",
                .group = G::optimisation,
                .label = "Loss normalisation",
                .help = "tokens: mean over all supervised tokens of the step; micro_batch_mean: mean of the "
                        "micro-batches' means, as many tools do." }),
        row(&RunConfig::epochs,
            { .key = "epochs",
                .group = G::optimisation,
                .label = "Epochs",
                .help = "Passes over the training rows; with max_steps, whichever ends first.",
                .huggingFaceName = "num_train_epochs",
                .least = 0,
                .most = 1e5,
                .leastExclusive = true }),
        row(&RunConfig::maxSteps,
            { .key = "max_steps",
                .group = G::optimisation,
                .label = "Steps at most",
                .unit = "steps",
                .help = "Optimizer steps; none: epochs alone decide.",
                .huggingFaceName = "max_steps",
                .least = 1,
                .most = billion }),
        row(&RunConfig::learningRate,
            { .key = "learning_rate",
                .group = G::optimisation,
                .label = "Learning rate",
                .help = "Highest learning rate; the schedule multiplies it.",
                .huggingFaceName = "learning_rate, lr",
                .least = 0,
                .most = 10,
                .leastExclusive = true,
                .usualLeast = 1e-7,
                .usualMost = 1e-2 }),
        row(&RunConfig::scheduler,
            { .key = "scheduler",
                .group = G::optimisation,
                .label = "Schedule",
                .help = "How the learning rate goes after warm-up: constant, linear to 0, or along a cosine to 0.",
                .huggingFaceName = "lr_scheduler_type" }),
        row(&RunConfig::warmupSteps,
            { .key = "warmup_steps",
                .group = G::optimisation,
                .label = "Warm-up steps",
                .unit = "steps",
                .help = "The rate rises from 0 over so many steps; 0: warmup_ratio decides.",
                .huggingFaceName = "warmup_steps",
                .least = 0,
                .most = billion }),
        row(&RunConfig::warmupRatio,
            { .key = "warmup_ratio",
                .group = G::optimisation,
                .label = "Warm-up share",
                .help = "Share of all steps that is warm-up, rounded up, when warmup_steps is 0.",
                .huggingFaceName = "warmup_ratio",
                .least = 0,
                .most = 1 }),
    };
}

std::vector<OptionRow> optimizerRows()
{
    return {
        row(&RunConfig::optimizer,
            { .key = "optimizer",
                .group = G::optimisation,
                .label = "Optimizer",
                .help = "adamw keeps two fp32 numbers a trained weight; sgd none, or one with momentum.",
                .huggingFaceName = "optim" }),
        row(&RunConfig::beta1,
            { .key = "beta1",
                .group = G::optimisation,
                .label = "Beta 1",
                .help = "Decay of AdamW's mean of gradients.",
                .huggingFaceName = "adam_beta1",
                .least = 0,
                .most = 1,
                .mostExclusive = true }),
        row(&RunConfig::beta2,
            { .key = "beta2",
                .group = G::optimisation,
                .label = "Beta 2",
                .help = "Decay of AdamW's mean of squared gradients.",
                .huggingFaceName = "adam_beta2",
                .least = 0,
                .most = 1,
                .mostExclusive = true }),
        row(&RunConfig::epsilon,
            { .key = "epsilon",
                .group = G::optimisation,
                .label = "Epsilon",
                .help = "Added to AdamW's denominator.",
                .huggingFaceName = "adam_epsilon",
                .least = 0,
                .most = 1 }),
        row(&RunConfig::momentum,
            { .key = "momentum",
                .group = G::optimisation,
                .label = "Momentum",
                .help = "Of sgd; 0: none.",
                .least = 0,
                .most = 1,
                .mostExclusive = true }),
        row(&RunConfig::weightDecay,
            { .key = "weight_decay",
                .group = G::optimisation,
                .label = "Weight decay",
                .help = "Pulls weights towards 0; norms and biases are left alone.",
                .huggingFaceName = "weight_decay",
                .least = 0,
                .most = 100,
                .usualMost = 1 }),
        row(&RunConfig::maxGradNorm,
            { .key = "max_grad_norm",
                .group = G::optimisation,
                .label = "Gradient clipping",
                .help = "The gradient of all trained tensors together is scaled down to this norm; 0: no clipping.",
                .huggingFaceName = "max_grad_norm",
                .least = 0,
                .most = billion }),
        row(&RunConfig::lossScale,
            { .key = "loss_scale",
                .group = G::optimisation,
                .label = "Loss scale",
                .help = "First value of the dynamic scale for fp16 products; doubles after 2,000 good steps, halves on "
                        "overflow.",
                .huggingFaceName = "init_scale",
                .least = 1,
                .most = 1099511627776 }),
        row(&RunConfig::seed,
            { .key = "seed",
                .group = G::optimisation,
                .label = "Seed",
                .help = "Decides the order of rows, the held-out rows and the first LoRA weights.",
                .huggingFaceName = "seed, data_seed",
                .least = 0,
                .most = largestSeed }),
    };
}

std::vector<OptionRow> outputRows()
{
    return {
        row(&RunConfig::logEvery,
            { .key = "log_every",
                .group = G::output,
                .label = "Log every",
                .unit = "steps",
                .help = "Optimizer steps between two lines of the metrics; 0: only the last.",
                .huggingFaceName = "logging_steps",
                .least = 0,
                .most = billion }),
        row(&RunConfig::evalEvery,
            { .key = "eval_every",
                .group = G::output,
                .label = "Evaluate every",
                .unit = "steps",
                .help = "Optimizer steps between two evaluations; 0: only at the start and the end.",
                .huggingFaceName = "eval_steps",
                .least = 0,
                .most = billion }),
    };
}

std::vector<OptionRow> allRows()
{
    std::vector<OptionRow> rows;
    for (auto part : { modelRows, dataRows, memoryRows, lengthAndRateRows, optimizerRows, outputRows }) {
        for (OptionRow& row : part()) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace

std::span<const OptionRow> optionRows()
{
    static const std::vector<OptionRow> rows = allRows();
    return rows;
}

} // namespace tunebench
