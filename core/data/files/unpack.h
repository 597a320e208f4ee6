#pragma once

#include "core/base/files.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace tunebench {

enum class Packing {
    none,
    gzip,
    zstd,
};

/// How a content is packed, judged by its first bytes.
Packing packingOf(std::string_view content);

/// What a packed file or a text in another encoding holds, in a temporary file.
struct ConvertedContent {
    MappedFile content;
    bool isCut = false; ///< it holds more than was wanted
    size_t junk = 0; ///< bytes after the packed data that belong to nothing
};

/// Unpacks a .gz (RFC 1952) or .zst (RFC 8878) content, of one member or several one after another, but no more than
/// about `maxBytes`. An error, with `path`, where it is damaged or cut, or the disk has no space for it.
Result<ConvertedContent> unpack(
    std::string_view packed, Packing packing, const std::string& path, size_t maxBytes, const std::stop_token& stop);

/// "Loading the dataset was stopped."
tl::unexpected<Error> stopped();

} // namespace tunebench
