#include "core/config/number_text.h"
#include "core/config/option_table.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tunebench {

namespace {

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
        [](unsigned char c) { return c < 128 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
    return lower;
}

std::vector<std::string> wordsOf(std::string_view text, std::string_view separators)
{
    std::vector<std::string> words;
    while (true) {
        const size_t begin = text.find_first_not_of(separators);
        if (begin == std::string_view::npos) {
            return words;
        }
        text.remove_prefix(begin);
        const size_t end = std::min(text.find_first_of(separators), text.size());
        words.push_back(lowered(text.substr(0, end)));
        text.remove_prefix(end);
    }
}

/// Levenshtein distance.
size_t editDistance(std::string_view left, std::string_view right)
{
    std::vector<size_t> distances(right.size() + 1);
    std::iota(distances.begin(), distances.end(), size_t { 0 });
    for (const char letter : left) {
        size_t diagonal = distances[0]++;
        for (size_t j = 0; j < right.size(); ++j) {
            const size_t changed = diagonal + (letter == right[j] ? 0 : 1);
            diagonal = distances[j + 1];
            distances[j + 1] = std::min({ changed, diagonal + 1, distances[j] + 1 });
        }
    }
    return distances.back();
}

/// How well an option fits one typed word; 0: not at all.
int fit(const Option& option, const std::string& word)
{
    const std::string key = lowered(option.key);
    const std::string label = lowered(option.label);
    const auto foreign = wordsOf(option.huggingFaceName, ", ");
    if (key == word || label == word || std::find(foreign.begin(), foreign.end(), word) != foreign.end()) {
        return 16;
    }
    if (key.starts_with(word) || label.starts_with(word)) {
        return 8;
    }
    if (key.find(word) != std::string::npos || label.find(word) != std::string::npos) {
        return 4;
    }
    if (lowered(option.huggingFaceName).find(word) != std::string::npos) {
        return 3;
    }
    return lowered(option.help).find(word) != std::string::npos ? 1 : 0;
}

} // namespace

std::vector<std::string> searchOptions(std::string_view words)
{
    const auto typed = wordsOf(words, " \t\n\r,");
    std::vector<std::pair<int, std::string>> found;
    for (const Option& option : options()) {
        int total = 0;
        const bool all = std::all_of(typed.begin(), typed.end(), [&](const std::string& word) {
            const int points = fit(option, word);
            total += points;
            return points > 0;
        });
        if (all) {
            found.emplace_back(total, option.key);
        }
    }
    std::stable_sort(
        found.begin(), found.end(), [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<std::string> keys;
    for (auto& [points, key] : found) {
        keys.push_back(std::move(key));
    }
    return keys;
}

std::optional<std::string> nearestText(std::string_view word, std::span<const std::string> texts)
{
    constexpr size_t longest = 64;
    if (word.size() > longest) {
        return std::nullopt;
    }
    const std::string lower = lowered(word);
    size_t best = std::max<size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> nearest;
    for (const std::string& text : texts) {
        const size_t distance = editDistance(lower, text);
        if (distance < best) {
            best = distance;
            nearest = text;
        }
    }
    return nearest;
}

std::string unknownKeyMessage(std::string_view key)
{
    std::vector<std::string> keys;
    for (const Option& option : options()) {
        const auto foreign = wordsOf(option.huggingFaceName, ", ");
        if (std::find(foreign.begin(), foreign.end(), lowered(key)) != foreign.end()) {
            return std::string(key) + " is called " + option.key + " here (" + allowedValues(option) + ").";
        }
        keys.push_back(option.key);
    }
    const auto nearest = nearestText(key, keys);
    return "There is no option \"" + std::string(key.substr(0, 64)) + "\"; "
        + (nearest ? "did you mean " + *nearest + "?" : "the README lists all options.");
}

} // namespace tunebench
