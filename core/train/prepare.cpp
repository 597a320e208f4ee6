#include "core/train/prepare.h"

#include "core/config/choices.h"
#include "core/data/refusals.h"

#include <algorithm>
#include <chrono>

namespace tunebench {
namespace {

using Clock = std::chrono::steady_clock;

/// "1 row is", "3 rows are".
std::string counted(int64_t count, const char* one, const char* several)
{
    return std::to_string(count) + " " + (count == 1 ? one : several);
}

/// Says how far reading has come, at most once a second.
LoadProgress progressNotices(const Notice& notice)
{
    return [&notice, last = Clock::now()](size_t done, size_t all) mutable {
        if (Clock::now() - last < std::chrono::seconds(1))
            return;
        last = Clock::now();
        notice("Reading the data: " + std::to_string(done) + " of " + std::to_string(all) + " rows.", false);
    };
}

/// Names the rows that are left out, by reason, with the first of each.
void noticeRefusals(const std::vector<RefusedRow>& refused, const Notice& notice)
{
    constexpr size_t shown = 10;
    const auto groups = groupRefusals(refused);
    const bool oneFile = std::all_of(
        refused.begin(), refused.end(), [&](const RefusedRow& row) { return row.file == refused.front().file; });
    for (size_t i = 0; i < std::min(shown, groups.size()); ++i)
        notice((oneFile ? refused.front().file + ": " : "")
                + counted(static_cast<int64_t>(groups[i].count), "row is", "rows are") + " left out ("
                + refusalPlaces(groups[i], oneFile) + "): " + groups[i].reason,
            true);
    if (groups.size() > shown)
        notice("In all, " + counted(static_cast<int64_t>(refused.size()), "row is", "rows are")
                + " left out; tunebench-cli inspect lists them.",
            true);
}

Result<Dataset> load(const std::vector<std::string>& files, const RunConfig& config, const EncodingSetup& setup,
    const Notice& notice, const std::stop_token& stop)
{
    auto dataset = loadDataset(files, config, setup, progressNotices(notice), stop);
    if (!dataset)
        return dataset;
    if (config.datasetFormat == DatasetFormat::automatic)
        notice("The rows are " + std::string(choiceName(dataset->format)) + ": " + dataset->why + ".", false);
    if (dataset->kept)
        notice("The rows were encoded by an earlier run with the same data, tokenizer, template and options.", false);
    for (const std::string& text : dataset->notices)
        notice(text, true);
    noticeRefusals(dataset->refused, notice);
    if (dataset->duplicates > 0)
        notice(counted(dataset->duplicates, "row says", "rows say") + " what an earlier row says.", true);
    return dataset;
}

/// Held-out rows that are trained as well make the model look better than it is.
void noticeSharedRows(const Split& split, const Notice& notice)
{
    if (const int64_t shared = heldOutDuplicates(split); shared > 0)
        notice(std::to_string(shared) + " of " + counted(std::ssize(split.heldOut), "held-out row", "held-out rows")
                + (shared == 1 ? " stands" : " stand")
                + " in the training data as well, so the evaluation looks better than it is.",
            true);
}

void noticeTruncation(const TruncationCounts& cut, const RunConfig& config, const Notice& notice)
{
    if (cut.rows == 0)
        return;
    notice(counted(cut.rows, "row was", "rows were") + " longer than max_length (" + std::to_string(config.maxLength)
            + " tokens): " + counted(cut.tokensCut, "token was", "tokens were") + " cut, and "
            + counted(cut.answersCut, "answer", "answers") + " lost a part.",
        true);
}

} // namespace

Result<std::optional<TextModel>> openTextFor(const RunConfig& config)
{
    return holdsTokenRows(config.dataset, config).and_then([&](bool tokens) -> Result<std::optional<TextModel>> {
        if (tokens)
            return std::nullopt;
        return openTextModel(config.model);
    });
}

Result<PreparedData> prepareData(
    const RunConfig& config, const ModelSpec& spec, const Notice& notice, const std::stop_token& stop)
{
    const auto opened = openTextFor(config);
    if (!opened)
        return tl::unexpected(opened.error());
    const std::optional<TextModel>& text = *opened;
    const auto setup = keepingSetup(text ? &*text : nullptr, config.model, spec.vocabularySize);
    auto dataset = load(config.dataset, config, setup, notice, stop);
    if (!dataset)
        return tl::unexpected(dataset.error());
    std::optional<std::vector<TokenRow>> heldOut;
    if (!config.evalDataset.empty()) {
        RunConfig whole = config; // max_rows is for the rows to train on
        whole.maxRows.reset();
        auto evaluation = load(config.evalDataset, whole, setup, notice, stop);
        if (!evaluation)
            return tl::unexpected(evaluation.error());
        heldOut = std::move(evaluation->rows);
    }
    noticeTruncation(dataset->truncation, config, notice);
    PreparedData prepared { .format = dataset->format,
        .refused = dataset->refused.size(),
        .usable = dataset->rows.size(),
        .truncation = dataset->truncation,
        .fingerprint = dataset->fingerprint,
        .padId = text && text->pad ? *text->pad : 0 };
    prepared.rows = splitRows(std::move(dataset->rows), std::move(heldOut), config);
    noticeSharedRows(prepared.rows, notice);
    return prepared;
}

} // namespace tunebench
