#include "core/train/run_extents.h"

#include "core/train/prepare.h"

#include <utility>

namespace tunebench {
namespace {

Result<std::vector<RowExtent>> readFrom(
    const std::vector<std::string>& files, const RunConfig& config, const EncodingSetup& setup)
{
    auto found = inspectDataset(files, config, setup);
    if (!found)
        return tl::unexpected(found.error());
    return checkLearnable(*found, config.objective).map([&] { return std::move(found->extents); });
}

} // namespace

Result<ReadExtents> readExtents(const RunConfig& config, int64_t vocabularySize)
{
    const auto text = openTextFor(config);
    if (!text)
        return tl::unexpected(text.error());
    const auto setup = keepingSetup(*text ? &**text : nullptr, config.model, vocabularySize);
    auto dataset = readFrom(config.dataset, config, setup);
    if (!dataset)
        return tl::unexpected(dataset.error());
    if (config.evalDataset.empty())
        return ReadExtents { std::move(*dataset), {} };
    return readFrom(config.evalDataset, config, setup).map([&](std::vector<RowExtent> evaluation) {
        return ReadExtents { std::move(*dataset), std::move(evaluation) };
    });
}

} // namespace tunebench
