#include "core/runs/out_of_memory.h"

#include "core/config/number_text.h"
#include "core/config/options.h"
#include "core/runs/json_fields.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

using nlohmann::ordered_json;
using Field = JsonField<OutOfMemoryReport>;

constexpr std::array<std::string_view, 5> phaseNames { "load", "first_step", "later_step", "evaluation", "saving" };

constexpr std::array numbers {
    Field { "step", &OutOfMemoryReport::step },
    Field { "requested", &OutOfMemoryReport::requested },
    Field { "limit", &OutOfMemoryReport::limit },
    Field { "allocated", &OutOfMemoryReport::allocated },
    Field { "reserved", &OutOfMemoryReport::reserved },
    Field { "planned_peak", &OutOfMemoryReport::plannedPeak },
    Field { "other_programs", &OutOfMemoryReport::otherPrograms },
    Field { "checkpoint", &OutOfMemoryReport::checkpoint },
};

constexpr std::array placeFields {
    Field { "layer", &OutOfMemoryReport::layer },
    Field { "op", &OutOfMemoryReport::operation },
    Field { "pass", &OutOfMemoryReport::pass },
};

constexpr std::array remedyNumbers {
    JsonField<Remedy> { "peak_allocated", &Remedy::peakAllocated },
    JsonField<Remedy> { "saving", &Remedy::saving },
    JsonField<Remedy> { "cost", &Remedy::price },
};

ordered_json remedyToJson(const Remedy& remedy)
{
    ordered_json set = ordered_json::object();
    RunConfig config;
    for (const auto& [key, value] : remedy.changes) {
        if (setOption(config, key, value))
            set[key] = optionValue(config, key);
    }
    ordered_json object { { "set", std::move(set) } };
    writeFields<Remedy>(object, remedy, remedyNumbers);
    object["fits"] = remedy.fits;
    return object;
}

std::optional<Remedy> remedyFromJson(const ordered_json& object)
{
    Remedy remedy;
    if (!object.is_object() || !object.contains("set") || !object["set"].is_object()
        || !readFields<Remedy>(object, remedy, remedyNumbers))
        return std::nullopt;
    for (const auto& [key, value] : object["set"].items())
        remedy.changes.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    remedy.fits = object.value("fits", ordered_json()) == true;
    return remedy;
}

template <class Read> bool readList(const ordered_json& object, const char* key, Read read)
{
    const auto list = object.find(key);
    return list == object.end() || (list->is_array() && std::ranges::all_of(*list, read));
}

bool readCategories(const ordered_json& object, OutOfMemoryReport& report)
{
    const auto categories = object.find("categories");
    if (categories == object.end() || !categories->is_object())
        return false;
    for (const auto& [name, bytes] : categories->items()) {
        if (!bytes.is_number_integer())
            return false;
        report.categories.emplace_back(name, bytes);
    }
    return true;
}

std::string placeText(const OutOfMemoryReport& report)
{
    if (report.operation.empty() || report.operation == "load")
        return {};
    const std::string where
        = report.operation + (report.layer ? " of layer " + std::to_string(*report.layer) : std::string());
    const bool isSaid = report.phase == OutOfMemoryPhase::evaluation && report.pass == "evaluation";
    return report.pass.empty() || isSaid ? where : where + ", " + report.pass;
}

std::string whenText(const OutOfMemoryReport& report)
{
    const std::string step = std::to_string(report.step);
    switch (report.phase) {
    case OutOfMemoryPhase::load:
        return "while the model was loaded";
    case OutOfMemoryPhase::firstStep:
    case OutOfMemoryPhase::laterStep:
        return "in step " + step;
    case OutOfMemoryPhase::evaluation:
        return "in the evaluation after " + step + (report.step == 1 ? " step" : " steps");
    case OutOfMemoryPhase::saving:
        return "while what was learnt in " + step + (report.step == 1 ? " step" : " steps") + " was saved";
    }
    return {};
}

std::string lengthsText(const std::vector<int64_t>& lengths)
{
    constexpr size_t shown = 16;
    std::string text;
    for (size_t i = 0; i < std::min(shown, lengths.size()); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(lengths[i]);
    if (lengths.size() > shown)
        text += " and " + std::to_string(lengths.size() - shown) + " more";
    return text + " tokens";
}

std::string keptText(const OutOfMemoryReport& report)
{
    if (report.phase == OutOfMemoryPhase::load)
        return {};
    std::string text = report.intact ? " The trained weights and the optimizer's state are intact"
                                     : " The step had begun to change the weights, so they are not kept";
    if (report.checkpoint)
        return text + "; the checkpoint of step " + std::to_string(*report.checkpoint)
            + " is saved, and resume goes on from it, with other options (--set) or more memory.";
    return text + "; no step was done yet.";
}

std::string adviceText(const OutOfMemoryReport& report)
{
    constexpr size_t named = 3;
    std::string text;
    const auto fits = std::ranges::any_of(report.remedies, &Remedy::fits);
    for (size_t i = 0; i < std::min(named, report.remedies.size()); ++i) {
        const Remedy& remedy = report.remedies[i];
        if (remedy.fits || !fits) // those that fit come first
            text += (i == 0 ? " Try " : "; or ") + remedy.text() + " (" + remedy.price + ")";
    }
    if (text.empty())
        return " Try a smaller model, shorter rows (max_length), or more memory.";
    return text
        + (fits || !report.limit ? "." : "; none of these is enough alone, so take several, or a smaller model.");
}

} // namespace

ordered_json outOfMemoryToJson(const OutOfMemoryReport& report)
{
    ordered_json object { { "phase", phaseNames.at(static_cast<size_t>(report.phase)) } };
    writeFields<OutOfMemoryReport>(object, report, numbers);
    ordered_json categories = ordered_json::object();
    for (const auto& [name, bytes] : report.categories)
        categories[name] = bytes;
    ordered_json place = ordered_json::object();
    writeFields<OutOfMemoryReport>(place, report, placeFields);
    ordered_json remedies = ordered_json::array();
    for (const Remedy& remedy : report.remedies)
        remedies.push_back(remedyToJson(remedy));
    const auto foreseen = report.foreseen();
    object.update({ { "categories", std::move(categories) }, { "at", std::move(place) },
        { "row_lengths", report.rowLengths }, { "foreseen", foreseen ? ordered_json(*foreseen) : ordered_json() },
        { "intact", report.intact }, { "remedies", std::move(remedies) } });
    return object;
}

std::optional<OutOfMemoryReport> outOfMemoryFromJson(const ordered_json& object)
{
    OutOfMemoryReport report;
    if (!object.is_object())
        return std::nullopt;
    const auto phase = std::ranges::find(phaseNames, object.value("phase", ordered_json()));
    const auto place = object.value("at", ordered_json::object());
    const bool read = phase != phaseNames.end() && readFields<OutOfMemoryReport>(object, report, numbers)
        && place.is_object() && readFields<OutOfMemoryReport>(place, report, placeFields)
        && readCategories(object, report)
        && readList(object, "row_lengths",
            [&](const ordered_json& length) {
                return length.is_number_integer() && (report.rowLengths.push_back(length), true);
            })
        && readList(object, "remedies", [&](const ordered_json& remedy) {
               auto one = remedyFromJson(remedy);
               return one && (report.remedies.push_back(std::move(*one)), true);
           });
    if (!read)
        return std::nullopt;
    report.phase = static_cast<OutOfMemoryPhase>(phase - phaseNames.begin());
    report.intact = object.value("intact", ordered_json(true)) != false;
    return report;
}

std::string outOfMemoryText(const OutOfMemoryReport& report, bool saved)
{
    const std::string place = placeText(report);
    std::string text = "Out of memory " + whenText(report) + (place.empty() ? "" : " (" + place + ")") + ": ";
    text += report.requested ? bytesText(*report.requested) + " more" : "what was wanted";
    text += report.limit ? " would pass the memory limit of " + bytesText(*report.limit) : " could not be had";
    text += " (" + bytesText(report.allocated) + " in use).";
    return text + (saved ? keptText(report) : std::string()) + adviceText(report);
}

std::vector<std::pair<std::string, std::string>> outOfMemoryFacts(const OutOfMemoryReport& report)
{
    std::vector<std::pair<std::string, std::string>> facts;
    const auto add = [&](const char* name, std::string text) { facts.emplace_back(name, std::move(text)); };
    const std::string place = placeText(report);
    add("when", whenText(report) + (place.empty() ? "" : ": " + place));
    add("wanted",
        (report.requested ? bytesText(*report.requested) + " more" : "an amount that is not known")
            + (report.limit ? "; the limit is " + bytesText(*report.limit) : std::string()));
    std::string live;
    for (const auto& [name, bytes] : report.categories)
        live += (live.empty() ? ": " : ", ") + name + " " + bytesText(bytes);
    add("in use", bytesText(report.allocated) + live);
    if (report.reserved)
        add("reserved", bytesText(*report.reserved));
    if (!report.rowLengths.empty())
        add("rows", "of " + lengthsText(report.rowLengths));
    if (report.plannedPeak)
        add("planned",
            "a peak of " + bytesText(*report.plannedPeak)
                + (!report.foreseen()        ? ""
                        : *report.foreseen() ? ", so this was foreseen"
                                             : ", so this was not foreseen"));
    if (report.otherPrograms)
        add("others", "other programs hold " + bytesText(*report.otherPrograms) + " of the device");
    return facts;
}

std::string remedyLine(const Remedy& remedy)
{
    return remedy.text() + ": peak " + bytesText(remedy.peakAllocated) + ", " + bytesText(remedy.saving) + " less, "
        + (remedy.fits ? "which fits" : "not enough alone") + "; " + remedy.price;
}

} // namespace tunebench
