#include "app/cli/console.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>

namespace tunebench {

using nlohmann::ordered_json;

void writeJsonLine(std::ostream& out, const ordered_json& value)
{
    out << value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

Result<ordered_json> parseJsonLine(const std::string& line, size_t number, const std::string& wanted)
{
    constexpr int deepest = 500;
    bool tooDeep = false;
    const auto watch = [&](int depth, ordered_json::parse_event_t /*event*/, ordered_json& /*value*/) {
        tooDeep = tooDeep || depth > deepest;
        return !tooDeep;
    };
    auto value = ordered_json::parse(line, watch, false);
    if (value.is_discarded() || tooDeep) {
        return failure("Line " + std::to_string(number) + " of the input is not " + wanted
            + (tooDeep ? ": it is nested too deeply." : "."));
    }
    return value;
}

Result<void> answerLines(
    Console& console, const std::function<Result<ordered_json>(const std::string&, size_t)>& answer)
{
    std::string line;
    for (size_t number = 1; std::getline(console.in, line); ++number) {
        const auto answered = answer(line, number);
        if (!answered) {
            return tl::unexpected(answered.error());
        }
        writeJsonLine(console.out, *answered);
        // A program that asks line by line waits for each answer.
        if (console.in.rdbuf()->in_avail() <= 0) {
            console.out.flush();
        }
    }
    return {};
}

std::string durationText(double seconds)
{
    const auto all = static_cast<int64_t>(std::round(std::clamp(seconds, 0.0, 1e9)));
    const auto padded = [](int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    const int64_t minutes = all / 60;
    const std::string tail = ":" + padded(all % 60);
    return minutes < 60 ? std::to_string(minutes) + tail
                        : std::to_string(minutes / 60) + ":" + padded(minutes % 60) + tail;
}

} // namespace tunebench
