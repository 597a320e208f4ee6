#include "core/model/tensor_info.h"

#include <array>

namespace tunebench {
namespace {

struct TypeRow {
    std::string_view name;
    BlockLayout layout;
};

// In the order of StorageType.
constexpr std::array typeTable = {
    TypeRow { "F32", { 1, 4 } },
    TypeRow { "F16", { 1, 2 } },
    TypeRow { "BF16", { 1, 2 } },
    TypeRow { "I64", { 1, 8 } },
    TypeRow { "I32", { 1, 4 } },
    TypeRow { "U8", { 1, 1 } },
    TypeRow { "BOOL", { 1, 1 } },
    TypeRow { "Q4_0", { 32, 18 } },
    TypeRow { "Q4_1", { 32, 20 } },
    TypeRow { "Q5_0", { 32, 22 } },
    TypeRow { "Q5_1", { 32, 24 } },
    TypeRow { "Q8_0", { 32, 34 } },
    TypeRow { "Q4_K", { 256, 144 } },
    TypeRow { "Q5_K", { 256, 176 } },
    TypeRow { "Q6_K", { 256, 210 } },
};
static_assert(typeTable.size() == static_cast<size_t>(StorageType::q6_k) + 1);

} // namespace

std::string_view storageTypeName(StorageType type)
{
    return typeTable[static_cast<size_t>(type)].name;
}

BlockLayout blockLayout(StorageType type)
{
    return typeTable[static_cast<size_t>(type)].layout;
}

std::optional<int64_t> elementCount(std::span<const int64_t> shape)
{
    int64_t count = 1;
    for (const int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(count, size, &count))
            return {};
    }
    return count;
}

std::optional<int64_t> storedBytes(const TensorInfo& tensor)
{
    const auto [numbers, bytes] = blockLayout(tensor.type);
    const auto count = elementCount(tensor.shape);
    if (!count || (tensor.shape.empty() ? 1 : tensor.shape.back()) % numbers != 0)
        return {};
    int64_t size = 0;
    if (__builtin_mul_overflow(*count / numbers, bytes, &size))
        return {};
    return size;
}

std::string shapeText(std::span<const int64_t> shape)
{
    std::string text = "[";
    for (const int64_t size : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

} // namespace tunebench
