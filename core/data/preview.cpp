#include "core/data/preview.h"

#include "core/data/columns.h"
#include "core/data/find_format.h"

#include <algorithm>

namespace tunebench {

Result<DatasetPreview> previewDataset(std::span<const std::string> files, const RunConfig& config, size_t rows)
{
    const auto source = RowSource::open(files, { .maxRows = std::max<size_t>(rows, 100) });
    if (!source)
        return tl::unexpected(source.error());
    DatasetPreview preview;
    preview.notices = source->notices();
    if (auto found = findFormat(*source, config)) {
        preview.format = found->format;
        preview.why = std::move(found->why);
    } else {
        preview.why = std::move(found.error().message);
    }
    Columns columns;
    for (size_t i = 0; i < std::min(rows, source->count()); ++i) {
        preview.rows.push_back({ source->pathOf(i), source->lineOf(i), source->read(i) });
        if (const auto& row = preview.rows.back().row)
            columns.add(Columns::of(*row));
    }
    preview.columns = columns.names();
    return preview;
}

} // namespace tunebench
