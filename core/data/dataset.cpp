#include "core/data/dataset.h"

#include "core/config/choices.h"
#include "core/data/columns.h"
#include "core/data/find_format.h"
#include "core/data/parallel.h"
#include "core/data/records.h"
#include "core/data/refusals.h"
#include "core/data/row_encoder.h"

#include <algorithm>
#include <new>
#include <thread>

namespace tunebench {
namespace {

constexpr size_t rowsPerWave = 128; ///< a thread; between waves the loader counts, reports and may stop
constexpr size_t maxUnreadable = 50'000; ///< rows; a file with more of them is no dataset

/// What became of one row.
struct Outcome {
    std::vector<std::string> columns;
    std::optional<EncodedRow> row;
    std::string reason; ///< of a row that is refused
    bool readable = true; ///< it is a JSON object
};

/// Reads every row of a source, in waves over all cores, in an order that does not depend on the threads.
class Loader {
public:
    Loader(const RowSource& source, DatasetFormat format, const RowEncoder* encoder)
        : m_source(source)
        , m_format(format)
        , m_encoder(encoder)
    {
        m_data.format = format;
    }

    /// Stops at `maxRows` usable rows.
    Result<Dataset> run(size_t maxRows, size_t threads, const LoadProgress& progress, const std::stop_token& stop)
    {
        const size_t cores = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
        std::vector<Outcome> outcomes;
        for (size_t begin = 0; begin < m_source.count() && m_data.rows.size() < maxRows; begin += outcomes.size()) {
            outcomes.clear();
            outcomes.resize(std::min(cores * rowsPerWave, m_source.count() - begin));
            parallelFor(outcomes.size(), cores, [&](size_t i) {
                if (!stop.stop_requested())
                    outcomes[i] = read(begin + i);
            });
            if (stop.stop_requested())
                return failure("Loading the dataset was stopped.", Fault::work);
            for (size_t i = 0; i < outcomes.size() && m_data.rows.size() < maxRows; ++i)
                take(std::move(outcomes[i]), begin + i);
            if (m_unreadable > maxUnreadable)
                return failure("Cannot read " + m_source.names() + " as rows: more than "
                    + std::to_string(maxUnreadable) + " rows are damaged; the first: " + m_data.refused.front().reason
                    + ".");
            if (progress)
                progress(begin + outcomes.size(), m_source.count());
        }
        m_data.columns = m_columns.names();
        return std::move(m_data);
    }

private:
    Outcome read(size_t index) const
    {
        Outcome outcome;
        auto object = m_source.read(index);
        if (!object) {
            outcome.reason = std::move(object.error());
            outcome.readable = false;
            return outcome;
        }
        outcome.columns = Columns::of(*object);
        auto record = readRecord(*object, m_format);
        if (!record) {
            outcome.reason = std::move(record.error());
            return outcome;
        }
        if (m_encoder == nullptr) {
            outcome.row.emplace();
            return outcome;
        }
        auto encoded = m_encoder->encode(std::move(*record));
        if (encoded)
            outcome.row = std::move(*encoded);
        else
            outcome.reason = std::move(encoded.error());
        return outcome;
    }

    void take(Outcome outcome, size_t index)
    {
        const size_t line = m_source.lineOf(index);
        m_columns.add(outcome.columns);
        m_unreadable += !outcome.readable;
        if (!outcome.row) {
            m_data.refused.push_back({ m_source.pathOf(index), line, std::move(outcome.reason) });
            return;
        }
        const RowCut cut = outcome.row->cut;
        m_data.truncation.rows += cut.tokens > 0;
        m_data.truncation.tokensCut += cut.tokens;
        m_data.truncation.answersCut += cut.answer;
        m_data.rows.push_back(std::move(outcome.row->row));
        m_data.rows.back().line = line;
    }

    const RowSource& m_source;
    DatasetFormat m_format;
    const RowEncoder* m_encoder;
    Dataset m_data;
    Columns m_columns;
    size_t m_unreadable = 0;
};

/// Whether a model's text files can serve rows of the format at all.
Result<void> checkText(DatasetFormat format, const TextModel* text, const std::string& names)
{
    if (format == DatasetFormat::tokens)
        return {};
    if (text == nullptr)
        return failure("The rows of " + names + " are text (" + std::string(choiceName(format))
            + ") and need a model with a tokenizer.");
    const bool isChat
        = format == DatasetFormat::alpaca || format == DatasetFormat::sharegpt || format == DatasetFormat::messages;
    if (isChat && !text->chatTemplate)
        return failure("The rows of " + names + " are chats (" + std::string(choiceName(format))
            + "), but the model has no chat template; choose an instruct model, or a dataset of prompt_completion, "
              "text or tokens, "
              "which need none.");
    return {};
}

size_t threadsOf(const RunConfig& config)
{
    return static_cast<size_t>(std::max<int64_t>(0, config.threads));
}

Result<Dataset> load(std::span<const std::string> files, const RunConfig& config, const TextModel* text,
    const LoadProgress& progress, const std::stop_token& stop)
{
    auto source = RowSource::open(files, { .stop = stop });
    if (!source)
        return tl::unexpected(source.error());
    auto format = findFormat(*source, config);
    if (!format)
        return tl::unexpected(format.error());
    if (auto checked = checkText(*format, text, source->names()); !checked)
        return tl::unexpected(checked.error());
    const RowEncoder encoder(config, text);
    const auto maxRows = config.maxRows ? static_cast<size_t>(*config.maxRows) : SIZE_MAX;
    auto dataset = Loader(*source, *format, &encoder).run(maxRows, threadsOf(config), progress, stop);
    if (!dataset)
        return dataset;
    if (dataset->rows.empty())
        return failure("No row of " + source->names() + " can be used as " + std::string(choiceName(*format)) + ": "
            + (dataset->refused.empty() ? "there are no rows" : refusalSummary(dataset->refused)) + ".");
    dataset->fingerprint = source->fingerprint();
    dataset->notices = source->notices();
    return dataset;
}

} // namespace

Result<Dataset> loadDataset(std::span<const std::string> files, const RunConfig& config, const TextModel* text,
    const LoadProgress& progress, const std::stop_token& stop)
{
    try {
        return load(files, config, text, progress, stop);
    } catch (const std::bad_alloc&) {
        return failure(
            "There is not enough memory for the dataset's tokens; set max_rows, or close other programs.", Fault::work);
    }
}

Result<bool> holdsTokenRows(std::span<const std::string> files, const RunConfig& config)
{
    if (config.datasetFormat != DatasetFormat::automatic)
        return config.datasetFormat == DatasetFormat::tokens;
    auto source = RowSource::open(files, { .maxRows = formatSampleRows });
    if (!source)
        return tl::unexpected(source.error());
    return findFormat(*source, config).map([](DatasetFormat format) { return format == DatasetFormat::tokens; });
}

Result<DatasetInspection> inspectDataset(std::span<const std::string> files, const RunConfig& config)
{
    auto source = RowSource::open(files);
    if (!source)
        return tl::unexpected(source.error());
    auto format = findFormat(*source, config);
    if (!format)
        return tl::unexpected(format.error());
    auto data = Loader(*source, *format, nullptr).run(SIZE_MAX, threadsOf(config), {}, {});
    if (!data)
        return tl::unexpected(data.error());
    return DatasetInspection { *format, std::move(data->columns), std::ssize(data->rows), std::move(data->refused),
        source->notices() };
}

Result<void> checkVocabulary(std::span<const TokenRow> rows, size_t vocabularySize)
{
    for (const auto& row : rows) {
        const auto beyond = [&](TokenId id) { return id != ignoredLabel && static_cast<size_t>(id) >= vocabularySize; };
        for (const auto* ids : { &row.ids, &row.labels }) {
            const auto bad = std::find_if(ids->begin(), ids->end(), beyond);
            if (bad != ids->end())
                return failure("The row at line " + std::to_string(row.line) + " of the dataset has token "
                    + std::to_string(*bad) + ", but the model knows only the tokens 0 to "
                    + std::to_string(vocabularySize - 1) + "; use a dataset made with this model's tokenizer.");
        }
    }
    return {};
}

} // namespace tunebench
