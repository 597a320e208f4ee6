#include "core/model/stored_weights.h"

#include "core/base/files.h"
#include "core/base/fingerprint.h"
#include "core/model/dequantize.h"

#include <algorithm>
#include <cstring>

namespace tunebench {
namespace {

using Found = std::map<std::string, StoredTensor>;

int64_t rowsOf(const TensorInfo& tensor)
{
    return tensor.shape.empty() ? 1 : tensor.shape.front();
}

/// Where row `row` of transformers' order lies when llama.cpp's converter has turned each head's two halves into
/// pairs (its LlamaModel.permute).
int64_t interleavedRow(int64_t row, int64_t headSize)
{
    const int64_t head = row / headSize;
    const int64_t within = row % headSize;
    const int64_t half = headSize / 2;
    return head * headSize + within % half * 2 + within / half;
}

/// Rows as they are stored; `out` holds `count` of them.
void dequantizeRows(const StoredTensor& tensor, int64_t first, int64_t count, std::span<float> out)
{
    const size_t rowBytes = tensor.bytes.size() / static_cast<size_t>(rowsOf(tensor.info));
    if (tensor.interleavedHeadSize == 0) {
        const auto bytes
            = tensor.bytes.subspan(static_cast<size_t>(first) * rowBytes, static_cast<size_t>(count) * rowBytes);
        return dequantize(tensor.info.type, bytes, out);
    }
    const size_t width = out.size() / static_cast<size_t>(count);
    for (int64_t i = 0; i < count; ++i) {
        const auto row = static_cast<size_t>(interleavedRow(first + i, tensor.interleavedHeadSize));
        dequantize(tensor.info.type, tensor.bytes.subspan(row * rowBytes, rowBytes),
            out.subspan(static_cast<size_t>(i) * width, width));
    }
}

/// `out` holds `count` rows.
void readStoredRows(const StoredTensor& tensor, int64_t first, int64_t count, std::span<float> out)
{
    if (count == 0)
        return;
    dequantizeRows(tensor, first, count, out);
    if (tensor.added != 0)
        std::ranges::for_each(out, [&](float& number) { number += tensor.added; });
}

/// True when both hold the same numbers, whatever their types.
bool sameValues(const StoredTensor& left, const StoredTensor& right)
{
    if (left.info.shape != right.info.shape)
        return false;
    if (left.info.type == right.info.type)
        return std::memcmp(left.bytes.data(), right.bytes.data(), left.bytes.size()) == 0;
    const auto width = static_cast<size_t>(left.info.shape.back());
    std::vector<float> leftRow(width);
    std::vector<float> rightRow(width);
    for (int64_t row = 0; row < rowsOf(left.info); ++row) {
        readStoredRows(left, row, 1, leftRow);
        readStoredRows(right, row, 1, rightRow);
        if (leftRow != rightRow)
            return false;
    }
    return true;
}

/// "a, b, c and 7 more"
std::string shortList(std::span<const std::string> names)
{
    constexpr size_t most = 5;
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
        list += (i > 0 ? ", " : "") + names[i];
    return names.size() > most ? list + " and " + std::to_string(names.size() - most) + " more" : list;
}

/// Removes what some tools save beside the weights although it follows from them.
Result<void> dropDerived(const ModelSpec& spec, Found& found, const std::string& where)
{
    std::erase_if(found, [](const auto& entry) { return entry.first.ends_with("rotary_emb.inv_freq"); });
    const auto head = found.find("lm_head.weight");
    if (!spec.tiedEmbeddings || head == found.end())
        return {};
    const auto embedding = found.find("model.embed_tokens.weight");
    if (embedding != found.end() && holdsReals(head->second.info.type) && holdsReals(embedding->second.info.type)
        && !sameValues(head->second, embedding->second))
        return failure(where
            + " has an lm_head.weight of its own although its config says tie_word_embeddings; set that "
              "to false to use it, or remove the tensor.");
    found.erase(head);
    return {};
}

Result<void> checkTensor(const StoredTensor& tensor, const TensorInfo& needed, const std::string& where)
{
    const TensorInfo& info = tensor.info;
    if (info.shape != needed.shape)
        return failure(where + " has " + needed.name + " with the shape " + shapeText(info.shape)
            + ", but its config asks for " + shapeText(needed.shape) + ".");
    if (!holdsReals(info.type))
        return failure(where + " holds " + needed.name + " as " + std::string(storageTypeName(info.type))
            + ", which is no type for weights here; take the model saved as F32, F16 or BF16.");
    return {};
}

} // namespace

Result<std::unique_ptr<StoredWeights>> StoredWeights::bind(
    const ModelSpec& spec, Found found, std::shared_ptr<const void> owner, const std::string& where)
{
    if (auto dropped = dropDerived(spec, found, where); !dropped)
        return tl::unexpected(dropped.error());
    std::vector<StoredTensor> tensors;
    std::vector<std::string> missing;
    for (const TensorInfo& needed : neededTensors(spec)) {
        auto node = found.extract(needed.name);
        if (node.empty()) {
            missing.push_back(needed.name);
            continue;
        }
        if (auto checked = checkTensor(node.mapped(), needed, where); !checked)
            return tl::unexpected(checked.error());
        node.mapped().info.name = needed.name;
        tensors.push_back(std::move(node.mapped()));
    }
    if (!missing.empty())
        return failure(where + " lacks " + std::to_string(missing.size())
            + " of the tensors of this model: " + shortList(missing) + "; download it again.");
    if (!found.empty()) {
        std::vector<std::string> extra;
        for (const auto& [name, tensor] : found)
            extra.push_back(name);
        return failure(where + " has " + std::to_string(extra.size()) + " tensors that a " + spec.family
            + " model of this config does not have: " + shortList(extra) + ".");
    }
    return std::unique_ptr<StoredWeights>(new StoredWeights(std::move(tensors), std::move(owner)));
}

StoredWeights::StoredWeights(std::vector<StoredTensor> tensors, std::shared_ptr<const void> owner)
    : m_tensors(std::move(tensors))
    , m_owner(std::move(owner))
{
    for (const StoredTensor& tensor : m_tensors)
        m_infos.push_back(tensor.info);
}

Result<void> StoredWeights::readRows(size_t tensor, int64_t first, int64_t count, std::span<float> out) const
{
    const StoredTensor& stored = m_tensors[tensor];
    const int64_t rows = rowsOf(stored.info);
    const auto width = static_cast<size_t>(elementCount(stored.info.shape).value_or(0) / rows);
    if (first < 0 || count < 0 || first > rows - count || out.size() != static_cast<size_t>(count) * width)
        return failure("Rows outside " + stored.info.name + " were asked for.", Fault::work);
    readStoredRows(stored, first, count, out);
    // A model is read once: what was read shall not stand in the process's memory beside what was made of it.
    const size_t rowBytes = stored.bytes.size() / static_cast<size_t>(rows);
    releaseMapped(stored.bytes.subspan(static_cast<size_t>(first) * rowBytes, static_cast<size_t>(count) * rowBytes));
    return {};
}

std::string StoredWeights::fingerprint() const
{
    constexpr size_t sampled = 256; // bytes at the beginning, in the middle and at the end of each tensor
    Fingerprint fingerprint;
    for (const StoredTensor& tensor : m_tensors) {
        fingerprint.add(tensor.info.name);
        fingerprint.add(storageTypeName(tensor.info.type));
        fingerprint.add(shapeText(tensor.info.shape));
        const size_t size = tensor.bytes.size();
        const size_t length = std::min(size, sampled);
        for (const size_t begin : { size_t { 0 }, (size - length) / 2, size - length })
            fingerprint.add(tensor.bytes.subspan(begin, length));
    }
    return fingerprint.text();
}

} // namespace tunebench
