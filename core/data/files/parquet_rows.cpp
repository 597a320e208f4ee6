#include "core/data/files/parquet_rows.h"

#include "core/base/temporary_file.h"
#include "core/data/files/arrow_json.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <unordered_set>

namespace tunebench {
namespace {

constexpr int64_t batchRows = 1024;
constexpr int64_t maxMemory = int64_t { 1 } << 30; // bytes that reading may hold at once, whatever a file declares
constexpr int32_t maxThriftItems = 20'000; // columns and row groups; as deep may a damaged schema nest
constexpr size_t blockBytes = size_t { 1 } << 20;

/// Arrow's reason without its own names of files and the places in its sources.
std::string reasonOf(std::string_view text)
{
    constexpr size_t most = 200;
    text = text.substr(0, text.find('\n'));
    return std::string(cutToCharacter(text, most));
}

tl::unexpected<Error> cannotRead(const std::string& path, const std::string& reason)
{
    return failure("Cannot read the Parquet file " + path + ": " + reason + "; get or write the file again.");
}

tl::unexpected<Error> cannotRead(const std::string& path, const arrow::Status& status)
{
    if (status.IsOutOfMemory())
        return failure("Cannot read the Parquet file " + path
            + ": a part of it asks for more than 1 GB of memory at once, so it is damaged or has too large pages; "
              "write "
              "it again with smaller ones.");
    return cannotRead(path, reasonOf(status.message()));
}

/// Damage that is seen without reading the schema.
std::string damageOf(std::string_view content)
{
    if (!content.starts_with(parquetMark))
        return "it does not begin as one does (\"PAR1\")";
    if (content.size() < 12 || !content.ends_with(parquetMark))
        return "it is cut (it does not end in \"PAR1\")";
    return {};
}

Result<void> checkColumns(const arrow::Schema& schema, const std::string& path)
{
    std::unordered_set<std::string> known;
    for (const auto& field : schema.fields()) {
        if (const auto* unknown = unknownInJson(*field->type()))
            return failure("Cannot read " + path + ": its column \"" + field->name() + "\" holds " + unknown->ToString()
                + ", which is neither text nor a number; write the file again without that column.");
        if (!known.insert(field->name()).second)
            return failure("Cannot read " + path + ": two columns are called \"" + field->name()
                + "\"; write the file again with a name for each.");
    }
    return {};
}

arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> openReader(
    std::string_view content, arrow::MemoryPool* memory)
{
    parquet::ReaderProperties properties(memory);
    properties.enable_buffered_stream();
    properties.set_thrift_container_size_limit(maxThriftItems);
    parquet::ArrowReaderProperties arrowProperties(false);
    arrowProperties.set_batch_size(batchRows);
    arrowProperties.set_pre_buffer(false);
    auto file = std::make_shared<arrow::io::BufferReader>(
        std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(content.data()), std::ssize(content)));
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(file), properties));
    return builder.memory_pool(memory)->properties(arrowProperties)->Build();
}

/// Writes rows as lines into a file.
class LineWriter {
public:
    LineWriter(TemporaryFile file, const std::string& path)
        : m_file(std::move(file))
        , m_path(path)
    {
    }

    Result<void> add(const arrow::RecordBatch& batch, int64_t rows)
    {
        for (int64_t row = 0; row < rows; ++row) {
            for (int column = 0; column < batch.num_columns(); ++column) {
                m_lines += column == 0 ? '{' : ',';
                appendQuoted(m_lines, batch.column_name(column));
                m_lines += ':';
                appendJson(m_lines, *batch.column(column), row);
            }
            m_lines += batch.num_columns() == 0 ? "{}\n" : "}\n";
            if (m_lines.size() >= blockBytes) {
                if (auto written = flush(); !written)
                    return written;
            }
        }
        return {};
    }

    Result<MappedFile> finish()
    {
        if (auto written = flush(); !written)
            return tl::unexpected(written.error());
        return m_file.map();
    }

private:
    Result<void> flush()
    {
        auto written = m_file.write(m_lines, m_path);
        m_lines.clear();
        return written;
    }

    TemporaryFile m_file;
    const std::string& m_path;
    std::string m_lines;
};

Result<ConvertedContent> convert(
    std::string_view content, const std::string& path, size_t maxRows, const std::stop_token& stop)
{
    arrow::CappedMemoryPool memory(arrow::system_memory_pool(), maxMemory);
    auto reader = openReader(content, &memory);
    if (!reader.ok())
        return cannotRead(path, reader.status());
    auto batches = (*reader)->GetRecordBatchReader();
    if (!batches.ok())
        return cannotRead(path, batches.status());
    if (auto checked = checkColumns(*(*batches)->schema(), path); !checked)
        return tl::unexpected(checked.error());
    auto file = TemporaryFile::create();
    if (!file)
        return tl::unexpected(file.error());
    LineWriter writer(std::move(*file), path);
    size_t rows = 0;
    while (rows < maxRows) {
        if (stop.stop_requested())
            return stopped();
        std::shared_ptr<arrow::RecordBatch> batch;
        if (const auto status = (*batches)->ReadNext(&batch); !status.ok())
            return cannotRead(path, status);
        if (!batch)
            break;
        const auto wanted = std::min<int64_t>(batch->num_rows(), static_cast<int64_t>(maxRows - rows));
        if (auto added = writer.add(*batch, wanted); !added)
            return tl::unexpected(added.error());
        rows += static_cast<size_t>(wanted);
    }
    auto lines = writer.finish();
    if (!lines)
        return tl::unexpected(lines.error());
    return ConvertedContent { std::move(*lines), false };
}

} // namespace

Result<ConvertedContent> convertParquet(
    std::string_view content, const std::string& path, size_t maxRows, const std::stop_token& stop)
{
    if (const std::string damage = damageOf(content); !damage.empty())
        return cannotRead(path, damage);
    try {
        return convert(content, path, maxRows, stop);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return cannotRead(path, reasonOf(error.what()));
    }
}

} // namespace tunebench
