#include "core/text/optional_files.h"

#include "core/base/files.h"

namespace tunebench {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

bool isFile(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

Result<ordered_json> readOptionalObject(const fs::path& path)
{
    if (!isFile(path)) {
        return ordered_json::object();
    }
    const Result<std::string> text = readFile(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    ordered_json object = ordered_json::parse(*text, nullptr, false);
    if (!object.is_object()) {
        return failure(path.string() + " is not a JSON object; the file may be cut or damaged");
    }
    return object;
}

} // namespace tunebench
