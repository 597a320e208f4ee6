#pragma once

#include "ui/data/data_analysis.h"

#include <optional>

namespace tunebench {

/// The first row behind `after` that loses a part of its answer, going on from the beginning after the last one; rows
/// are numbered from 0 through all rows of the dataset, refused ones included. Nothing where there is none.
std::optional<size_t> nextLosingRow(const AnalysedData& data, const RunConfig& config, size_t after);

/// The same of rows that are refused, or that truncation leaves nothing of.
std::optional<size_t> nextRefusedRow(const AnalysedData& data, const RunConfig& config, size_t after);

} // namespace tunebench
