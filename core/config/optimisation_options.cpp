#include "core/config/option_rows.h"

namespace tunebench {

namespace {

using G = OptionGroup;

constexpr double largestSeed = 9007199254740991; // whole numbers up to here survive any JSON reader

} // namespace

std::vector<OptionRow> lengthRows()
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
        row(&RunConfig::maxHours,
            { .key = "max_hours",
                .group = G::optimisation,
                .label = "Hours at most",
                .unit = "hours",
                .help = "The run ends after so long, pauses left out, with its evaluation and its result; the schedule "
                        "of the learning rate is fitted to it. None: time does not matter.",
                .least = 0,
                .most = 100000,
                .leastExclusive = true }),
        row(&RunConfig::maxTemperature,
            { .key = "max_temperature",
                .group = G::optimisation,
                .label = "Pause above",
                .unit = "\u00b0C",
                .help = "Training pauses while the card is hotter than this, and goes on when it has cooled by 5 "
                        "degrees. None: the card looks after itself.",
                .least = 30,
                .most = 120 }),
    };
}

std::vector<OptionRow> rateRows()
{
    return {
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
                .help
                = "How the learning rate goes after warm-up: constant, linear or along a cosine to 0, a cosine that "
                  "starts again (scheduler_cycles), polynomial to learning_rate_end, or with the inverse root of "
                  "the step.",
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
        row(&RunConfig::schedulerCycles,
            { .key = "scheduler_cycles",
                .group = G::optimisation,
                .label = "Cycles",
                .help = "How many times cosine_restarts goes from the full rate to 0.",
                .huggingFaceName = "num_cycles",
                .least = 1,
                .most = 1000000 }),
        row(&RunConfig::schedulerPower,
            { .key = "scheduler_power",
                .group = G::optimisation,
                .label = "Power",
                .help = "Exponent of polynomial: 1 is a straight line, more falls faster at first.",
                .huggingFaceName = "power",
                .least = 0,
                .most = 100,
                .leastExclusive = true }),
        row(&RunConfig::learningRateEnd,
            { .key = "learning_rate_end",
                .group = G::optimisation,
                .label = "Last learning rate",
                .help = "Where polynomial ends; below learning_rate.",
                .huggingFaceName = "lr_end",
                .least = 0,
                .most = 10 }),
    };
}

std::vector<OptionRow> optimizerRows()
{
    return {
        row(&RunConfig::optimizer,
            { .key = "optimizer",
                .group = G::optimisation,
                .label = "Optimizer",
                .help
                = "adamw keeps two fp32 numbers a trained weight; adamw_8bit two bytes; lion one number; adafactor two "
                  "a row and column of a matrix; sgd none, or one with momentum. lion wants a learning rate three to "
                  "ten "
                  "times lower than adamw, adafactor a higher one.",
                .huggingFaceName = "optim" }),
        row(&RunConfig::beta1,
            { .key = "beta1",
                .group = G::optimisation,
                .label = "Beta 1",
                .help = "Decay of AdamW's mean of gradients; of lion, its part in the direction.",
                .huggingFaceName = "adam_beta1",
                .least = 0,
                .most = 1,
                .mostExclusive = true }),
        row(&RunConfig::beta2,
            { .key = "beta2",
                .group = G::optimisation,
                .label = "Beta 2",
                .help = "Decay of AdamW's mean of squared gradients; of lion's mean (0.99 is usual there).",
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

} // namespace tunebench
