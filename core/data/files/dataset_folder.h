#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace tunebench {

/// The files of rows in a folder and the folders in it, by name, and a sentence about those that are not read, or lie
/// deeper.
struct DatasetFolder {
    std::vector<std::string> files;
    std::string notice; ///< empty where there is nothing to say
};

/// Leaves out hidden files, files of other kinds and those that only describe a dataset (dataset_info.json, say). By
/// the words that Hugging Face goes by (datasets, data_files.py), files of a test or validation split stay apart from
/// others, so that no run learns what it shall be tested with; a folder of one such split alone is read. An error where
/// no file is left, and where the folder holds a test and a validation split and no other.
Result<DatasetFolder> readDatasetFolder(const std::string& folder);

} // namespace tunebench
