#include "core/config/cards.h"
#include "core/config/number_text.h"
#include "core/config/option_rows.h"

namespace tunebench {

namespace {

using G = OptionGroup;

constexpr double pebibyte = 1125899906842624;

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

std::optional<std::string> checkCard(const std::string& text)
{
    if (cardBytes(text))
        return std::nullopt;
    return "a card of the list (GTX 1650, RTX 3060, ...: tunebench-cli plan --help shows all) or an amount such as "
           "6 GiB";
}

} // namespace

std::vector<OptionRow> memoryRows()
{
    return {
        row(&RunConfig::precision,
            { .key = "precision",
                .group = G::memory,
                .label = "Weights held in",
                .help
                = "How frozen base weights are held. nf4 (QLoRA) holds the projections of the blocks in 4 bits and the "
                  "rest in 16, and unpacks each for its product. Trained tensors are always fp32, so method full needs "
                  "fp32 or auto here.",
                .huggingFaceName = "torch_dtype, dtype, load_in_4bit, bnb_4bit_quant_type" }),
        withoutLastChoice(row(&RunConfig::compute,
            { .key = "compute",
                .group = G::memory,
                .label = "Multiplied in",
                .help
                = "Type of the matrix products and the residual stream; auto is the fastest that is right here. A "
                  "processor that lacks it multiplies in fp32.",
                .huggingFaceName = "fp16, bf16, bnb_4bit_compute_dtype" })),
        row(&RunConfig::gradientCheckpointing,
            { .key = "gradient_checkpointing",
                .group = G::memory,
                .label = "Gradient checkpointing",
                .help = "full recomputes each segment of layers in the backward pass: least memory, a third more time. "
                        "selective "
                        "recomputes only the wide projections of the MLP, for half the price and more than half the "
                        "saving. offload is full with the segments' inputs in the computer's memory instead of the "
                        "card's; on the CPU the two are one.",
                .huggingFaceName = "gradient_checkpointing" }),
        row(&RunConfig::checkpointEveryLayers,
            { .key = "checkpoint_every_layers",
                .group = G::memory,
                .label = "Layers per segment",
                .unit = "layers",
                .help = "Length of a recomputed segment (full and offload).",
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
        row(&RunConfig::effectiveBatch,
            { .key = "effective_batch",
                .group = G::memory,
                .label = "Effective batch",
                .unit = "rows",
                .help
                = "Rows in an optimizer step: when set, batch_size and accumulation_steps are solved for it, with "
                  "the largest batch that fits the card, the limit, or what is free. The result is the same as "
                  "with any other split; a larger batch is faster.",
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
    };
}

std::vector<OptionRow> deviceRows()
{
    return {
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
        checked(row(&RunConfig::card,
                    { .key = "card",
                        .group = G::memory,
                        .label = "Card",
                        .help = "The run is limited to what this card has free (GTX 1650, RTX 3060, ..., or an amount "
                                "such as 6 GiB), whether or not you own one. None: the device's own memory." }),
            checkCard),
        row(&RunConfig::memoryLimit,
            { .key = "memory_limit",
                .group = G::memory,
                .label = "Memory limit",
                .unit = "bytes",
                .help = "The device refuses more than this; 0: no limit.",
                .least = 0,
                .most = pebibyte }),
        row(&RunConfig::onOutOfMemory,
            { .key = "on_out_of_memory",
                .group = G::memory,
                .label = "Out of memory",
                .help = "stop: the run ends with a report; what was learnt is kept. split: a micro-batch that does not "
                        "fit is trained in halves, and those in halves again; the result is the same to rounding, the "
                        "step takes longer.",
                .huggingFaceName = "auto_find_batch_size" }),
        row(&RunConfig::courtesy,
            { .key = "courtesy",
                .group = G::memory,
                .label = "Courtesy",
                .help = "Leaves the desktop usable while training: a pause after every micro-batch, and on the "
                        "processor a lower priority for the training's threads. low pauses for 10 % of a "
                        "micro-batch's time, high for 40 %; a run takes that much longer, and far longer while other "
                        "programs want the processor. The result is the same." }),
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
        row(&RunConfig::saveEvery,
            { .key = "save_every",
                .group = G::output,
                .label = "Checkpoint every",
                .unit = "steps",
                .help
                = "Optimizer steps between two checkpoints, from which an interrupted run goes on; 0: only when the "
                  "run ends or is stopped.",
                .huggingFaceName = "save_steps",
                .least = 0,
                .most = billion }),
        row(&RunConfig::keepCheckpoints,
            { .key = "keep_checkpoints",
                .group = G::output,
                .label = "Checkpoints kept",
                .help = "So many of the newest stay; older ones are removed.",
                .huggingFaceName = "save_total_limit",
                .least = 1,
                .most = 1000 }),
        row(&RunConfig::earlyStoppingPatience,
            { .key = "early_stopping_patience",
                .group = G::output,
                .label = "Early stopping",
                .unit = "evaluations",
                .help = "The run ends after so many evaluations in a row (eval_every) that were no better than the "
                        "best; 0: never.",
                .huggingFaceName = "early_stopping_patience",
                .least = 0,
                .most = million }),
        row(&RunConfig::earlyStoppingMinDelta,
            { .key = "early_stopping_min_delta",
                .group = G::output,
                .label = "Smallest improvement",
                .help = "An evaluation counts as better when its loss is lower than the best by more than this.",
                .huggingFaceName = "early_stopping_threshold",
                .least = 0,
                .most = million }),
        row(&RunConfig::stopAtEvalLoss,
            { .key = "stop_at_eval_loss",
                .group = G::output,
                .label = "Stop at loss",
                .help = "The run ends when an evaluation's loss is at or below this.",
                .least = 0,
                .most = million }),
        row(&RunConfig::evalPrompts,
            { .key = "eval_prompts",
                .group = G::output,
                .optional = true,
                .prose = true,
                .label = "Prompts to answer",
                .help = "Prompts that the model answers at each evaluation, also without held-out rows; the answers "
                        "(up to 128 tokens, always the likeliest token) are kept with the run. Commas inside a prompt "
                        "need a JSON list: [\"First, this\", \"Then that\"]. A prompt takes some seconds at each "
                        "evaluation on a processor." }),
        row(&RunConfig::overfittingIntended,
            { .key = "overfitting_intended",
                .group = G::output,
                .label = "Overfitting is intended",
                .help = "The rows are to be learnt by heart: no warning when the evaluation loss rises while the "
                        "training loss falls; the summary says that it was intended." }),
    };
}

} // namespace tunebench
