#include "app/cli/length_report.h"

#include "app/cli/console.h"
#include "core/config/choices.h"
#include "core/data/padding_waste.h"

#include <algorithm>
#include <array>
#include <map>
#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

constexpr std::array sides { Truncation::right, Truncation::left };

/// One of the counts of both sides as shares of the rows: {"right": ..., "left": ...}
ordered_json sharesBySide(const std::array<CutCounts, 2>& cuts, int64_t CutCounts::*count, size_t rows)
{
    ordered_json object;
    for (size_t i = 0; i < sides.size(); ++i) {
        object[choiceName(sides.at(i))] = static_cast<double>(cuts.at(i).*count) / static_cast<double>(rows);
    }
    return object;
}

ordered_json wasteOf(std::span<const RowExtent> rows, const RunConfig& config)
{
    ordered_json list = ordered_json::array();
    for (const WasteByBatch& waste : wastesByBatch(rows, config)) {
        list.push_back(
            { { "order", choiceName(waste.order) }, { "batch_size", waste.batchSize }, { "share", waste.share } });
    }
    return list;
}

std::string percent(double share)
{
    constexpr double hundred = 100;
    return fixedText(share * hundred, 1) + " %";
}

std::string padded(std::string text, size_t width)
{
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

/// A line an order, a column a batch size.
void writeWaste(std::ostream& out, const ordered_json& waste)
{
    constexpr size_t firstColumn = 18;
    constexpr size_t column = 9;
    std::map<std::string, std::string> lines; // the order's name -> its line
    std::string head = padded("  batch_size", firstColumn);
    for (const auto& cell : waste) {
        const auto order = cell["order"].get<std::string>();
        const auto line = lines.try_emplace(order, padded("  " + order, firstColumn)).first;
        if (order == waste.front()["order"]) {
            head += padded(cell["batch_size"].dump(), column);
        }
        line->second += padded(percent(cell["share"].get<double>()), column);
    }
    out << "padding the rows for training to the longest of a batch would waste (with padding none, nothing):\n"
        << head << '\n';
    for (const auto& [order, line] : lines) {
        out << line << '\n';
    }
}

} // namespace

ordered_json lengthReport(std::span<const RowExtent> rows, const RunConfig& config)
{
    if (rows.empty()) {
        return nullptr;
    }
    const LengthSummary summary = summarizeLengths(rows);
    std::array<CutCounts, 2> cuts;
    std::ranges::transform(
        sides, cuts.begin(), [&](Truncation side) { return countCuts(rows, config.maxLength, side); });
    const auto shares = [&](int64_t CutCounts::*count) { return sharesBySide(cuts, count, rows.size()); };
    constexpr size_t mostBins = 64;
    const LengthHistogram histogram = lengthHistogram(rows, mostBins);
    return {
        { "mean", summary.mean },
        { "p50", summary.p50 },
        { "p90", summary.p90 },
        { "p95", summary.p95 },
        { "p99", summary.p99 },
        { "longest", summary.longest },
        { "max_length", config.maxLength },
        { "truncated_rows", cuts.front().rows },
        { "tokens_cut", cuts.front().tokens },
        { "truncated_share", shares(&CutCounts::rows) },
        { "answers_cut_share", shares(&CutCounts::answers) },
        { "nothing_left_share", shares(&CutCounts::nothingLeft) },
        { "suggested_max_length", summary.suggestedMaxLength() },
        { "padding_waste", wasteOf(rows, config) },
        { "histogram", { { "width", histogram.width }, { "counts", histogram.counts } } },
    };
}

void writeLengthReport(std::ostream& out, const ordered_json& report)
{
    if (report.is_null()) {
        return;
    }
    out << "lengths     mean " << fixedText(report["mean"].get<double>(), 1);
    for (const char* key : { "p50", "p90", "p95", "p99", "longest" }) {
        out << ", " << key << ' ' << report[key];
    }
    out << " tokens\nmax_length  " << report["max_length"] << " cuts " << report["truncated_rows"] << " rows ("
        << percent(report["truncated_share"]["right"].get<double>()) << "), " << report["tokens_cut"] << " tokens\n";
    for (const Truncation side : sides) {
        const std::string name(choiceName(side));
        out << "  cut at the " << name << ": " << percent(report["answers_cut_share"][name].get<double>())
            << " of the rows lose a part of an answer, " << percent(report["nothing_left_share"][name].get<double>())
            << " keep nothing to learn\n";
    }
    out << "suggested   max_length " << report["suggested_max_length"] << '\n';
    writeWaste(out, report["padding_waste"]);
}

} // namespace tunebench
