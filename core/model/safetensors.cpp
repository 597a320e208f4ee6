#include "core/model/safetensors.h"

#include "core/model/safetensors_header.h"
#include "core/model/weight_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace tunebench {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors numbers are read and written as they lie");

constexpr uint64_t longestHeader = 100'000'000; // the library's own limit
constexpr size_t lengthBytes = sizeof(uint64_t);

tl::unexpected<Error> refuse(const std::filesystem::path& path, const std::string& reason)
{
    return failure(path.string() + " " + reason + ".");
}

std::string ofBytes(uint64_t there, uint64_t needed)
{
    return std::to_string(there) + " of " + std::to_string(needed) + " bytes";
}

/// The JSON text at the beginning.
Result<std::string_view> headerText(const MappedFile& file, const std::filesystem::path& path)
{
    const std::string_view content = file.text();
    if (content.size() < lengthBytes)
        return refuse(path, "is cut short (" + ofBytes(content.size(), lengthBytes) + "); download it again");
    uint64_t length = 0;
    std::memcpy(&length, content.data(), lengthBytes);
    if (length > longestHeader)
        return refuse(path, "is not a safetensors file: its header would have " + std::to_string(length) + " bytes");
    if (length > content.size() - lengthBytes)
        return refuse(path,
            "is cut short in its header (" + ofBytes(content.size(), lengthBytes + length) + "); download it again");
    const std::string_view header = content.substr(lengthBytes, length);
    if (!header.starts_with('{'))
        return refuse(path, "is not a safetensors file: its header does not begin with \"{\"");
    return header;
}

/// Sorts the entries by place and checks that they cover [0, dataSize) exactly.
Result<void> checkPlaces(std::vector<SafetensorsHeader::Entry>& entries, uint64_t dataSize, uint64_t headerSize,
    const std::filesystem::path& path)
{
    std::ranges::sort(entries, {}, [](const auto& entry) { return std::pair(entry.begin, entry.end); });
    uint64_t end = 0;
    for (const auto& [tensor, entryBegin, entryEnd] : entries) {
        const auto size = storedBytes(tensor);
        if (!size || entryEnd < entryBegin || entryEnd - entryBegin != static_cast<uint64_t>(*size))
            return refuse(path,
                "is damaged: the size of \"" + tensor.name + "\" does not fit its shape " + shapeText(tensor.shape));
        if (entryBegin != end)
            return refuse(path,
                std::string("is damaged: \"") + tensor.name + "\" "
                    + (entryBegin < end ? "overlaps the tensor before it" : "leaves a hole before it"));
        end = entryEnd;
    }
    if (end > dataSize)
        return refuse(
            path, "is cut short (" + ofBytes(headerSize + dataSize, headerSize + end) + "); download it again");
    if (end < dataSize)
        return refuse(path, "is damaged: " + std::to_string(dataSize - end) + " bytes follow the last tensor");
    return {};
}

/// Place in the library's order of types (its Dtype enum, by alignment); larger ones come first in a file.
int rankOf(StorageType type)
{
    using enum StorageType;
    constexpr std::array order = { boolean, u8, f16, bf16, i32, f32, i64 };
    return static_cast<int>(std::ranges::find(order, type) - order.begin());
}

/// Tensors in file order, or why they cannot be written.
Result<std::vector<const TensorToWrite*>> inFileOrder(
    std::span<const TensorToWrite> tensors, const std::filesystem::path& path)
{
    std::vector<const TensorToWrite*> order;
    std::set<std::string_view> names;
    for (const TensorToWrite& tensor : tensors) {
        const auto size = storedBytes(tensor.info);
        if (blockLayout(tensor.info.type).numbers != 1 || !size || static_cast<size_t>(*size) != tensor.bytes.size()
            || !names.insert(tensor.info.name).second)
            return failure("Cannot write " + path.string() + ": \"" + tensor.info.name + "\" has a wrong size or type.",
                Fault::work);
        order.push_back(&tensor);
    }
    std::ranges::sort(order, {}, [](const TensorToWrite* tensor) {
        return std::pair(-rankOf(tensor->info.type), std::string_view(tensor->info.name));
    });
    return order;
}

std::string headerFor(std::span<const TensorToWrite* const> order)
{
    nlohmann::ordered_json header = { { "__metadata__", { { "format", "pt" } } } };
    uint64_t begin = 0;
    for (const TensorToWrite* tensor : order) {
        const uint64_t end = begin + tensor->bytes.size();
        header[tensor->info.name] = { { "dtype", storageTypeName(tensor->info.type) }, { "shape", tensor->info.shape },
            { "data_offsets", { begin, end } } };
        begin = end;
    }
    std::string text = header.dump();
    text.append((lengthBytes - text.size() % lengthBytes) % lengthBytes, ' ');
    return text;
}

} // namespace

SafetensorsFile::SafetensorsFile(MappedFile file)
    : m_file(std::move(file))
{
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path)
{
    auto mapped = openWeightFile(path);
    if (!mapped)
        return tl::unexpected(mapped.error());
    const auto text = headerText(*mapped, path);
    if (!text)
        return tl::unexpected(text.error());
    auto header = parseSafetensorsHeader(*text);
    if (!header)
        return refuse(path, header.error().message);
    SafetensorsFile file(std::move(*mapped));
    const size_t headerSize = lengthBytes + text->size();
    const auto data = file.m_file.bytes().subspan(headerSize);
    if (auto checked = checkPlaces(header->entries, data.size(), headerSize, path); !checked)
        return tl::unexpected(checked.error());
    for (auto& entry : header->entries) {
        file.m_data.push_back(data.subspan(entry.begin, entry.end - entry.begin));
        file.m_tensors.push_back(std::move(entry.tensor));
    }
    file.m_metadata = std::move(header->metadata);
    return file;
}

Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors)
{
    const auto order = inFileOrder(tensors, path);
    if (!order)
        return tl::unexpected(order.error());
    const std::string header = headerFor(*order);
    const uint64_t length = header.size();
    auto file = AtomicFile::create(path);
    if (!file)
        return tl::unexpected(file.error());
    auto written = file->write(std::as_bytes(std::span(&length, 1)));
    if (written)
        written = file->write(header);
    for (size_t i = 0; written && i < order->size(); ++i)
        written = file->write((*order)[i]->bytes);
    return written ? file->commit() : written;
}

} // namespace tunebench
