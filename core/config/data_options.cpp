#include "core/config/dataset_columns.h"
#include "core/config/option_rows.h"

namespace tunebench {

namespace {

using G = OptionGroup;

} // namespace

std::vector<OptionRow> dataRows()
{
    return {
        path(row(&RunConfig::dataset,
            { .key = "dataset",
                .group = G::data,
                .label = "Dataset",
                .help = "File, folder or list of them (.json, .jsonl, .csv, .tsv, .txt, .parquet, also .gz, .zst). "
                        "Empty: the demo dataset.",
                .huggingFaceName = "dataset_name" })),
        path(row(&RunConfig::evalDataset,
            { .key = "eval_dataset",
                .group = G::data,
                .optional = true,
                .label = "Evaluation dataset",
                .help = "File, folder or list of them that is held out whole; without one, eval_share rows are." })),
        row(&RunConfig::datasetFormat,
            { .key = "dataset_format",
                .group = G::data,
                .label = "Dataset format",
                .help = "What the rows are; auto finds it from their columns." }),
        row(&RunConfig::datasetColumns,
            { .key = "dataset_columns",
                .group = G::data,
                .label = "Columns",
                .help = "For tables with other column names: which of theirs stands for one of ours, as JSON "
                        "({\"prompt\": \"q\", \"completion\": \"a\"}).",
                .choices = { datasetColumnNames.begin(), datasetColumnNames.end() } }),
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
                .help = "Share of the rows held out for evaluation (8 to 200 rows, never more than half; 0: none) when "
                        "there is no eval_dataset.",
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
                .help
                = "shuffle draws a new order each epoch from the seed; sequential keeps the file's; length_grouped "
                  "shuffles, then puts rows of similar length together, the longest first.",
                .huggingFaceName = "group_by_length, train_sampling_strategy" }),
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
        row(&RunConfig::packing,
            { .key = "packing",
                .group = G::data,
                .label = "Packing",
                .help = "Fill each place of a batch with several rows, up to max_length tokens together; attention and "
                        "positions stay inside a row. Fewer, fuller steps." }),
    };
}

} // namespace tunebench
