#pragma once

// Sees Arrow: for the readers of its files alone.

#include <arrow/array.h>
#include <arrow/type.h>
#include <string>

namespace tunebench {

/// The first type in a type that has no counterpart in JSON, or null: bytes that are no text, unions, maps with other
/// keys than text, intervals.
const arrow::DataType* unknownInJson(const arrow::DataType& type);

/// Appends a value as JSON. Whole numbers and texts exactly, other numbers so that they read back as the same, those
/// that are not finite as null; dates, times and decimals as the text that Arrow writes; structs and maps as objects.
void appendJson(std::string& out, const arrow::Array& array, int64_t index);

/// Appends a text in quotes; bytes that are not UTF-8 stay as they are.
void appendQuoted(std::string& out, std::string_view text);

} // namespace tunebench
