#include "core/data/dataset.h"

#include "core/base/files.h"
#include "core/config/choices.h"
#include "core/data/find_format.h"
#include "core/data/iso_date.h"
#include "core/data/refusals.h"
#include "core/data/row_loader.h"

#include <new>

namespace tunebench {
namespace {

/// Whether a model's text files can serve rows of the format at all.
Result<void> checkText(DatasetFormat format, const TextModel* text, const std::string& names)
{
    if (format == DatasetFormat::tokens)
        return {};
    if (text == nullptr)
        return failure("The rows of " + names + " are text (" + std::string(choiceName(format))
            + ") and need a model with a tokenizer.");
    const bool isChat = format == DatasetFormat::alpaca || format == DatasetFormat::sharegpt
        || format == DatasetFormat::messages || format == DatasetFormat::questionAnswer;
    if (isChat && !text->chatTemplate && !text->toolTemplate)
        return failure("The rows of " + names + " are chats (" + std::string(choiceName(format))
            + "), but the model has no chat template; choose an instruct model, or a dataset of prompt_completion, "
              "text or tokens, which need none.");
    return {};
}

Result<void> checkTrainable(DatasetFormat format, Objective objective, const std::string& names)
{
    if (objective == Objective::dpo && format != DatasetFormat::preference)
        return failure("objective dpo learns from preference pairs (columns chosen and rejected), but the rows of "
            + names + " are " + std::string(choiceName(format)) + "; choose other rows, or set objective: sft.");
    if (objective == Objective::sft && format == DatasetFormat::preference)
        return failure("The rows of " + names
            + " are preference pairs (chosen and rejected); set objective: dpo to learn from both. To learn the chosen "
              "answers alone, set dataset_format and dataset_columns: prompt_completion with {\"completion\": "
              "\"chosen\"} (and \"prompt\": \"conversations\" where the turns before stand there), or messages with "
              "{\"messages\": \"chosen\"} where it holds the whole conversation.");
    return {};
}

tl::unexpected<Error> noneUsable(DatasetFormat format, const std::string& names, std::span<const RefusedRow> refused)
{
    return failure("No row of " + names + " can be used as " + std::string(choiceName(format)) + ": "
        + refusalSummary(refused) + ".");
}

/// The source, and the format of its rows.
struct OpenDataset {
    RowSource source;
    FoundFormat found;
};

Result<OpenDataset> open(std::span<const std::string> files, const RunConfig& config, const OpenLimits& limits)
{
    auto source = RowSource::open(files, limits);
    if (!source)
        return tl::unexpected(source.error());
    auto found = findFormat(*source, config);
    if (!found)
        return tl::unexpected(found.error());
    return OpenDataset { std::move(*source), std::move(*found) };
}

Result<LoadedRows> loadRows(const OpenDataset& opened, LoadPlan plan, const EncodingSetup& setup,
    const LoadProgress& progress, const std::stop_token& stop)
{
    const std::string today = isoToday();
    const RowEncoder encoder(plan.config.lossOn, setup, today);
    if (setup.text != nullptr || plan.format == DatasetFormat::tokens)
        plan.encoder = &encoder;
    const std::string fingerprint = opened.source.fingerprint(stop);
    if (!setup.keptRows.empty() && setup.text != nullptr && plan.format != DatasetFormat::tokens) {
        plan.keptFolder = setup.keptRows;
        plan.keptKey = keptRowsKey(fingerprint, plan.format, plan.config, setup, today);
    }
    auto loaded = RowLoader(opened.source, plan).run(progress, stop);
    if (loaded) {
        loaded->data.fingerprint = fingerprint;
        loaded->data.why = opened.found.why;
    }
    return loaded;
}

Result<Dataset> load(std::span<const std::string> files, const RunConfig& config, const EncodingSetup& setup,
    const LoadProgress& progress, const std::stop_token& stop)
{
    const auto opened = open(files, config, { .stop = stop });
    if (!opened)
        return tl::unexpected(opened.error());
    const std::string names = opened->source.names();
    const DatasetFormat format = opened->found.format;
    if (auto checked = checkTrainable(format, config.objective, names); !checked)
        return tl::unexpected(checked.error());
    if (auto checked = checkText(format, setup.text, names); !checked)
        return tl::unexpected(checked.error());
    const size_t maxRows = config.maxRows ? static_cast<size_t>(*config.maxRows) : SIZE_MAX;
    auto loaded = loadRows(*opened, LoadPlan { config, format, nullptr, maxRows, true, {}, {} }, setup, progress, stop);
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (loaded->usable == 0)
        return noneUsable(format, names, loaded->data.refused);
    return std::move(loaded->data);
}

Result<DatasetInspection> inspect(std::span<const std::string> files, const RunConfig& config,
    const EncodingSetup& setup, const LoadProgress& progress, const std::stop_token& stop)
{
    const auto opened = open(files, config, { .stop = stop });
    if (!opened)
        return tl::unexpected(opened.error());
    const DatasetFormat format = opened->found.format;
    EncodingSetup used = setup;
    if (format == DatasetFormat::preference && config.objective != Objective::dpo)
        used.text = nullptr; // pairs are no rows that this run could learn
    if (used.text != nullptr) {
        if (auto checked = checkText(format, used.text, opened->source.names()); !checked)
            return tl::unexpected(checked.error());
    }
    RunConfig all = config;
    all.maxRows.reset();
    auto loaded = loadRows(*opened, LoadPlan { all, format, nullptr, SIZE_MAX, false, {}, {} }, used, progress, stop);
    if (!loaded)
        return tl::unexpected(loaded.error());
    Dataset& data = loaded->data;
    return DatasetInspection { opened->source.names(), format, std::move(data.why), std::move(data.columns),
        loaded->usable, std::move(data.refused), data.duplicates, std::move(loaded->extents), std::move(data.notices) };
}

template <class Load> auto withinMemory(Load load) -> decltype(load())
{
    try {
        return load();
    } catch (const std::bad_alloc&) {
        return failure(
            "There is not enough memory for the dataset's tokens; set max_rows, or close other programs.", Fault::work);
    }
}

} // namespace

EncodingSetup keepingSetup(const TextModel* text, const std::filesystem::path& textFiles, int64_t vocabularySize)
{
    EncodingSetup setup(text);
    setup.vocabularySize = static_cast<size_t>(vocabularySize);
    setup.textFiles = textFiles;
    setup.keptRows = cacheDirectory() / "encoded";
    return setup;
}

Result<Dataset> loadDataset(std::span<const std::string> files, const RunConfig& config, const EncodingSetup& setup,
    const LoadProgress& progress, const std::stop_token& stop)
{
    return withinMemory([&] { return load(files, config, setup, progress, stop); });
}

Result<bool> holdsTokenRows(std::span<const std::string> files, const RunConfig& config)
{
    if (config.datasetFormat != DatasetFormat::automatic)
        return config.datasetFormat == DatasetFormat::tokens;
    return open(files, config, { .maxRows = formatSampleRows }).map([](const OpenDataset& opened) {
        return opened.found.format == DatasetFormat::tokens;
    });
}

Result<void> checkLearnable(const DatasetInspection& found, Objective objective)
{
    if (auto checked = checkTrainable(found.format, objective, found.names); !checked)
        return checked;
    if (found.extents.empty())
        return noneUsable(found.format, found.names, found.refused);
    return {};
}

Result<DatasetInspection> inspectDataset(std::span<const std::string> files, const RunConfig& config,
    const EncodingSetup& setup, const LoadProgress& progress, const std::stop_token& stop)
{
    return withinMemory([&] { return inspect(files, config, setup, progress, stop); });
}

} // namespace tunebench
