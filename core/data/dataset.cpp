#include "core/data/dataset.h"

#include "core/data/json_rows.h"
#include "core/data/parallel.h"
#include "core/data/records.h"
#include "core/data/refusals.h"
#include "core/data/row_encoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <thread>
#include <unordered_set>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

constexpr size_t sampleRows = 100; ///< whose columns tell the format
constexpr size_t rowsPerWave = 128; ///< a thread; between waves the loader counts, reports and may stop
constexpr size_t maxColumns = 1000;
constexpr size_t maxUnreadable = 100'000; ///< rows; a file with more of them is no dataset

/// 64-bit FNV-1a: tells files apart, guards against no one.
uint64_t hashOf(std::string_view bytes, uint64_t hash)
{
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

std::string fingerprintOf(std::span<const RowFile> files)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (const auto& file : files) {
        const uint64_t size = file.content.text().size();
        hash = hashOf({ reinterpret_cast<const char*>(&size), sizeof size }, hash);
        hash = hashOf(file.content.text(), hash);
    }
    std::array<char, 17> digits {};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    const std::string text(digits.data(), end);
    return std::string(16 - text.size(), '0') + text;
}

/// Column names in the order in which they first appear.
class Columns {
public:
    void add(std::string name)
    {
        if (m_names.size() < maxColumns && m_known.insert(name).second)
            m_names.push_back(std::move(name));
    }
    std::vector<std::string> take() { return std::move(m_names); }

private:
    std::unordered_set<std::string> m_known;
    std::vector<std::string> m_names;
};

std::vector<std::string> keysOf(const ordered_json& row)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : row.items())
        keys.push_back(key);
    return keys;
}

/// What became of one row.
struct Outcome {
    std::vector<std::string> columns;
    std::optional<EncodedRow> row;
    std::string reason; ///< of a row that is refused
    bool readable = true; ///< it is a JSON object
};

/// The files of one dataset and their rows, numbered through.
class Source {
public:
    static Result<Source> open(std::span<const std::string> paths)
    {
        Source source;
        if (paths.empty())
            return failure("No dataset is chosen; name a .json or .jsonl file in \"dataset\".");
        for (const auto& path : paths) {
            auto file = openRowFile(path);
            if (!file)
                return tl::unexpected(file.error());
            source.m_count += file->rows.size();
            source.m_files.push_back(std::move(*file));
            source.m_ends.push_back(source.m_count);
        }
        return source;
    }

    size_t count() const { return m_count; }
    std::span<const RowFile> files() const { return m_files; }
    const RowFile& fileOf(size_t index) const { return m_files[fileIndex(index)]; }
    const RawRow& row(size_t index) const
    {
        const size_t file = fileIndex(index);
        return m_files[file].rows[index - (file > 0 ? m_ends[file - 1] : 0)];
    }

    std::string names() const
    {
        return m_files.front().path
            + (m_files.size() > 1 ? " and " + std::to_string(m_files.size() - 1) + " more" : "");
    }

private:
    size_t fileIndex(size_t index) const
    {
        return static_cast<size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), index) - m_ends.begin());
    }

    std::vector<RowFile> m_files;
    std::vector<size_t> m_ends; ///< rows in all up to and including each file
    size_t m_count = 0;
};

/// The format that most of the first rows show.
Result<DatasetFormat> findFormat(const Source& source)
{
    std::array<size_t, static_cast<size_t>(DatasetFormat::tokens) + 1> votes {};
    Columns columns;
    size_t objects = 0;
    for (size_t i = 0; i < source.count() && i < maxUnreadable && objects < sampleRows; ++i) {
        const auto row = parseRow(source.row(i));
        if (!row)
            continue;
        ++objects;
        for (auto& key : keysOf(*row))
            columns.add(std::move(key));
        if (const auto format = formatOfRow(*row))
            ++votes[static_cast<size_t>(*format)];
    }
    const auto* const most = std::max_element(votes.begin(), votes.end());
    if (*most > 0)
        return static_cast<DatasetFormat>(most - votes.begin());
    if (objects == 0) {
        const auto first
            = source.count() > 0 ? parseRow(source.row(0)) : tl::unexpected(std::string("it holds no rows"));
        return failure(
            "No row of " + source.names() + " can be read as a JSON object; the first: " + first.error() + ".");
    }
    std::string found;
    for (const auto& name : columns.take())
        found += (found.empty() ? "" : ", ") + name;
    return failure("Cannot tell the format of " + source.names() + ": its columns are "
        + (found.empty() ? "none" : found) + "; needed are " + neededColumns() + ".");
}

/// Reads every row of a source, in waves over all cores, in an order that does not depend on the threads.
class Loader {
public:
    Loader(const Source& source, DatasetFormat format, const RowEncoder* encoder)
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
                    outcomes[i] = read(m_source.row(begin + i));
            });
            if (stop.stop_requested())
                return failure("Loading the dataset was stopped.", Fault::work);
            for (size_t i = 0; i < outcomes.size() && m_data.rows.size() < maxRows; ++i)
                take(std::move(outcomes[i]), begin + i);
            if (m_unreadable > maxUnreadable)
                return failure("Cannot read " + m_source.names() + " as JSON rows: more than "
                    + std::to_string(maxUnreadable) + " rows are damaged; the first: " + m_data.refused.front().reason
                    + ".");
            if (progress)
                progress(begin + outcomes.size(), m_source.count());
        }
        m_data.columns = m_columns.take();
        return std::move(m_data);
    }

private:
    Outcome read(const RawRow& raw) const
    {
        Outcome outcome;
        auto object = parseRow(raw);
        if (!object) {
            outcome.reason = std::move(object.error());
            outcome.readable = false;
            return outcome;
        }
        outcome.columns = keysOf(*object);
        auto record = readRecord(std::move(*object), m_format);
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
        const size_t line = m_source.row(index).line;
        for (auto& name : outcome.columns)
            m_columns.add(std::move(name));
        m_unreadable += !outcome.readable;
        if (!outcome.row) {
            m_data.refused.push_back({ m_source.fileOf(index).path, line, std::move(outcome.reason) });
            return;
        }
        const RowCut cut = outcome.row->cut;
        m_data.truncation.rows += cut.tokens > 0;
        m_data.truncation.tokensCut += cut.tokens;
        m_data.truncation.answersCut += cut.answer;
        m_data.rows.push_back(std::move(outcome.row->row));
        m_data.rows.back().line = line;
    }

    const Source& m_source;
    DatasetFormat m_format;
    const RowEncoder* m_encoder;
    Dataset m_data;
    Columns m_columns;
    size_t m_unreadable = 0;
};

Result<DatasetFormat> formatOf(const Source& source, const RunConfig& config)
{
    return config.datasetFormat == DatasetFormat::automatic ? findFormat(source) : config.datasetFormat;
}

/// Whether a model's text files can serve rows of the format at all.
Result<void> checkText(DatasetFormat format, const TextModel* text, const std::string& names)
{
    if (format == DatasetFormat::tokens)
        return {};
    if (text == nullptr)
        return failure("The rows of " + names + " are text (" + std::string(formatName(format))
            + ") and need a model with a tokenizer.");
    const bool isChat
        = format == DatasetFormat::alpaca || format == DatasetFormat::sharegpt || format == DatasetFormat::messages;
    if (isChat && !text->chatTemplate)
        return failure("The rows of " + names + " are chats (" + std::string(formatName(format))
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
    auto source = Source::open(files);
    if (!source)
        return tl::unexpected(source.error());
    auto format = formatOf(*source, config);
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
        return failure("No row of " + source->names() + " can be used as " + std::string(formatName(*format)) + ": "
            + (dataset->refused.empty() ? "there are no rows" : refusalSummary(dataset->refused)) + ".");
    dataset->fingerprint = fingerprintOf(source->files());
    return dataset;
}

} // namespace

Result<Dataset> loadDataset(std::span<const std::string> files, const RunConfig& config, const TextModel* text,
    const LoadProgress& progress, std::stop_token stop)
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
    auto source = Source::open(files);
    if (!source)
        return tl::unexpected(source.error());
    return findFormat(*source).map([](DatasetFormat format) { return format == DatasetFormat::tokens; });
}

Result<DatasetInspection> inspectDataset(std::span<const std::string> files, const RunConfig& config)
{
    auto source = Source::open(files);
    if (!source)
        return tl::unexpected(source.error());
    auto format = formatOf(*source, config);
    if (!format)
        return tl::unexpected(format.error());
    auto data = Loader(*source, *format, nullptr).run(SIZE_MAX, threadsOf(config), {}, {});
    if (!data)
        return tl::unexpected(data.error());
    return DatasetInspection { *format, std::move(data->columns), std::ssize(data->rows), std::move(data->refused) };
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
