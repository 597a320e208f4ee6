#include "core/config/option_rows.h"

namespace tunebench {

namespace {

using G = OptionGroup;

} // namespace

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
                .help = "PEFT LoRA folder to start from; rank, alpha, dropout, targets, rsLoRA, DoRA and whole modules "
                        "come from its config." })),
        row(&RunConfig::objective,
            { .key = "objective",
                .group = G::model,
                .label = "Objective",
                .help = "sft learns the answers; dpo learns from preference pairs to prefer the chosen answer to the "
                        "rejected one, measured against the model without its adapter.",
                .huggingFaceName = "trainer, DPOTrainer" }),
        row(&RunConfig::dpoBeta,
            { .key = "dpo_beta",
                .group = G::model,
                .label = "DPO beta",
                .help = "How strongly dpo holds the model near the one without its adapter: more is nearer.",
                .huggingFaceName = "beta",
                .least = 0,
                .most = 1000,
                .leastExclusive = true,
                .usualMost = 1 }),
        row(&RunConfig::dpoLoss,
            { .key = "dpo_loss",
                .group = G::model,
                .label = "DPO loss",
                .help = "sigmoid as in the paper; ipo aims at a fixed margin of 1 / (2 beta) between the answers' mean "
                        "log-probabilities, which overfits less.",
                .huggingFaceName = "loss_type" }),
        row(&RunConfig::method,
            { .key = "method",
                .group = G::model,
                .label = "Method",
                .help = "lora trains small matrices beside frozen weights; full trains every weight (held as fp32).",
                .huggingFaceName = "use_peft" }),
    };
}

std::vector<OptionRow> adapterRows()
{
    return {
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
                .help = "The LoRA product is scaled by alpha / rank (with use_rslora, alpha / sqrt(rank)).",
                .huggingFaceName = "lora_alpha",
                .least = 0,
                .most = million,
                .leastExclusive = true }),
        row(&RunConfig::loraDropout,
            { .key = "lora_dropout",
                .group = G::model,
                .label = "LoRA dropout",
                .help
                = "Share of each LoRA product's input that is left out at random in training, never in evaluation.",
                .huggingFaceName = "lora_dropout",
                .least = 0,
                .most = 1,
                .mostExclusive = true,
                .usualMost = 0.5 }),
        row(&RunConfig::loraTargets,
            { .key = "lora_targets",
                .group = G::model,
                .label = "LoRA targets",
                .help = "Module names or suffixes (q_proj, v_proj), or all-linear: all projections of the blocks, not "
                        "the head.",
                .huggingFaceName = "target_modules, lora_target_modules",
                .least = 1 }),
        row(&RunConfig::useRslora,
            { .key = "use_rslora",
                .group = G::model,
                .label = "Rank-stabilised scale",
                .help = "Scale by alpha / sqrt(rank) instead of alpha / rank, so that a higher rank learns as fast.",
                .huggingFaceName = "use_rslora" }),
        row(&RunConfig::useDora,
            { .key = "use_dora",
                .group = G::model,
                .label = "DoRA",
                .help
                = "Trains the length of each row of a weight apart from its direction, which LoRA moves; learns more "
                  "like full training, and each step takes longer.",
                .huggingFaceName = "use_dora" }),
        row(&RunConfig::modulesToSave,
            { .key = "modules_to_save",
                .group = G::model,
                .optional = true,
                .label = "Modules trained whole",
                .help
                = "Names of modules (embed_tokens, lm_head, norm) that are trained whole, as fp32, beside the LoRA "
                  "matrices and saved with them.",
                .huggingFaceName = "modules_to_save" }),
    };
}

} // namespace tunebench
