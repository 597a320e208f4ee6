#include "core/config/options.h"

#include "core/base/files.h"
#include "core/config/demo.h"
#include "core/config/number_text.h"
#include "core/config/option_table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A JSON object whose keys are checked to be written once; nlohmann alone would keep the last silently.
Result<json> parseObject(std::string_view text)
{
    std::set<std::string> keys;
    std::optional<std::string> twice;
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second) {
            twice = parsed.get<std::string>();
        }
        return true;
    };
    try {
        json object = json::parse(text, watch);
        if (!object.is_object()) {
            return failure("A config is a JSON object such as {\"batch_size\": 4}.");
        }
        if (twice) {
            return failure(*twice + " is given twice; keep one of them.");
        }
        return object;
    } catch (const json::parse_error& problem) {
        const auto end = text.begin() + static_cast<ptrdiff_t>(std::min(problem.byte, text.size()));
        const auto line = 1 + std::count(text.begin(), end, '\n');
        return failure("Not valid JSON near line " + std::to_string(line) + "; look for a comma, quote or bracket too "
            + "many or too few.");
    } catch (const json::exception&) {
        return failure("A number in the config is too large.");
    }
}

/// Where a path in a config points: `~/` is the home folder, relative paths count from `folder`.
std::string pathFrom(const fs::path& folder, const std::string& written)
{
    const char* home = std::getenv("HOME");
    if (written.starts_with("~/") && home != nullptr) {
        return (fs::path(home) / written.substr(2)).string();
    }
    return written.empty() ? written : (folder / written).lexically_normal().string();
}

template <class Change> void changePaths(RunConfig& config, Change change)
{
    for (const OptionRow& row : optionRows()) {
        if (!row.isPath) {
            continue;
        }
        if (const auto* text = std::get_if<std::string RunConfig::*>(&row.member)) {
            change(row.option.key, config.**text);
        } else if (const auto* optional = std::get_if<std::optional<std::string> RunConfig::*>(&row.member)) {
            if (config.**optional) {
                change(row.option.key, *(config.**optional));
            }
        } else if (const auto* list = std::get_if<std::vector<std::string> RunConfig::*>(&row.member)) {
            for (std::string& path : config.**list) {
                change(row.option.key, path);
            }
        }
    }
}

} // namespace

std::span<const Option> options()
{
    static const std::vector<Option> all = [] {
        std::vector<Option> copies;
        for (const OptionRow& row : optionRows()) {
            copies.push_back(row.option);
        }
        return copies;
    }();
    return all;
}

const OptionRow* findOptionRow(std::string_view key)
{
    const auto rows = optionRows();
    const auto found
        = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.option.key == key; });
    return found == rows.end() ? nullptr : &*found;
}

const Option* findOption(std::string_view key)
{
    const auto all = options();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Option& option) { return option.key == key; });
    return found == all.end() ? nullptr : &*found;
}

Result<ConfigChoice> configFromJson(std::string_view text, std::string_view folder)
{
    const Result<json> object = parseObject(text);
    if (!object) {
        return tl::unexpected(object.error());
    }
    ConfigChoice choice;
    for (const auto& [key, value] : object->items()) {
        if (const auto set = setOption(choice.values, key, value); !set) {
            return tl::unexpected(set.error());
        }
        choice.set.insert(key);
    }
    if (!folder.empty()) {
        changePaths(choice.values, [&](const std::string&, std::string& path) { path = pathFrom(folder, path); });
    }
    return choice;
}

Result<ConfigChoice> configFromFile(const std::string& path)
{
    const auto text = readFile(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const fs::path folder = fs::absolute(path).parent_path();
    return configFromJson(*text, folder.string()).map_error([&](Error error) {
        error.message = path + ": " + error.message;
        return error;
    });
}

Result<void> applyAssignment(ConfigChoice& choice, std::string_view assignment)
{
    const size_t equals = assignment.find('=');
    const std::string key(trimmed(assignment.substr(0, equals)));
    if (equals == std::string_view::npos || key.empty()) {
        return failure("--set takes key=value (batch_size=8), not \"" + std::string(assignment) + "\".");
    }
    auto set = setOption(choice.values, key, std::string(assignment.substr(equals + 1)));
    if (set) {
        choice.set.insert(key);
    }
    return set;
}

nlohmann::ordered_json configToJson(const RunConfig& config)
{
    nlohmann::ordered_json object;
    for (const OptionRow& row : optionRows()) {
        object[row.option.key] = optionValue(config, row.option.key);
    }
    return object;
}

RunConfig withResolvedPaths(RunConfig config)
{
    if (trimmed(config.model).empty()) {
        config.model = demoModel().string();
    }
    if (config.dataset.empty()) {
        config.dataset = { demoDataset().string() };
    }
    std::error_code problem;
    const fs::path here = fs::current_path(problem);
    changePaths(config, [&](const std::string&, std::string& path) { path = pathFrom(here, path); });
    return config;
}

} // namespace tunebench
