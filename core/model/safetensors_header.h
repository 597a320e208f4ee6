#pragma once

#include "core/base/result.h"
#include "core/model/tensor_info.h"

#include <cstdint>
#include <map>

namespace tunebench {

/// What the JSON header of a safetensors file says, before it is held against the file.
struct SafetensorsHeader {
    struct Entry {
        TensorInfo tensor;
        uint64_t begin = 0; ///< bytes from the end of the header
        uint64_t end = 0;
    };
    std::vector<Entry> entries;
    std::map<std::string, std::string> metadata;
};

/// Reads the header without building a JSON tree, so that nothing hostile grows. Double names, unknown types and
/// anything that the format does not have are errors; the message goes on after the file's name.
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json);

} // namespace tunebench
