#pragma once

#include "core/data/dataset.h"
#include "core/data/files/row_index.h"

namespace tunebench {

/// A row as a person sees it before anything is chosen.
struct PreviewRow {
    std::string file;
    size_t line = 0;
    ParsedRow row; ///< the object, or why it is none
};

/// What the first rows of a dataset show.
struct DatasetPreview {
    DatasetFormat format = DatasetFormat::automatic; ///< as found or given; automatic where the rows do not tell
    std::string why; ///< how the format was found, or why it was not
    std::vector<std::string> columns; ///< of the rows that are shown, in the order in which they appear
    std::vector<PreviewRow> rows;
    std::vector<std::string> notices; ///< as in Dataset
};

/// The first `rows` rows, damaged ones among them, and what they tell; the files are not gone through any further, so
/// their size does not matter. An error when a file cannot be read.
Result<DatasetPreview> previewDataset(std::span<const std::string> files, const RunConfig& config, size_t rows);

} // namespace tunebench
