#include "core/text/jinja/builtins.h"

#include "core/text/jinja/filters.h"

#include <charconv>
#include <chrono>
#include <ctime>

namespace tunebench::jinja {

namespace {

constexpr size_t maxRange = 100'000; ///< of jinja2's sandbox

bool readNumber(std::string_view& text, size_t width, int& number)
{
    if (text.size() < width)
        return false;
    const auto result = std::from_chars(text.data(), text.data() + width, number);
    if (result.ec != std::errc() || result.ptr != text.data() + width || number < 0)
        return false;
    text.remove_prefix(width);
    return true;
}

bool skip(std::string_view& text, std::string_view any)
{
    if (text.empty() || any.find(text[0]) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

bool readDate(std::string_view& text, DateTime& time)
{
    return readNumber(text, 4, time.year) && skip(text, "-") && readNumber(text, 2, time.month) && skip(text, "-")
        && readNumber(text, 2, time.day);
}

bool readTime(std::string_view& text, DateTime& time)
{
    if (!readNumber(text, 2, time.hour) || !skip(text, ":") || !readNumber(text, 2, time.minute))
        return false;
    return !skip(text, ":") || readNumber(text, 2, time.second);
}

std::string padded(int number, size_t width)
{
    const std::string digits = std::to_string(number);
    return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

std::chrono::year_month_day dateOf(const DateTime& time)
{
    return std::chrono::year { time.year } / static_cast<unsigned>(time.month) / static_cast<unsigned>(time.day);
}

/// Sunday is 0.
int weekdayOf(const DateTime& time)
{
    return static_cast<int>(std::chrono::weekday(std::chrono::sys_days(dateOf(time))).c_encoding());
}

int dayOfYear(const DateTime& time)
{
    const auto first = std::chrono::year { time.year } / 1 / 1;
    return static_cast<int>((std::chrono::sys_days(dateOf(time)) - std::chrono::sys_days(first)).count()) + 1;
}

constexpr std::string_view months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December" };
constexpr std::string_view weekdays[]
    = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };

std::string directive(const DateTime& time, char letter)
{
    const auto month = months[static_cast<size_t>(time.month - 1)];
    const auto weekday = [&] { return weekdays[static_cast<size_t>(weekdayOf(time))]; };
    const int hour12 = time.hour % 12 == 0 ? 12 : time.hour % 12;
    switch (letter) {
    case 'Y':
        return std::to_string(time.year);
    case 'y':
        return padded(time.year % 100, 2);
    case 'm':
        return padded(time.month, 2);
    case 'd':
        return padded(time.day, 2);
    case 'e':
        return (time.day < 10 ? " " : "") + std::to_string(time.day);
    case 'B':
        return std::string(month);
    case 'b':
    case 'h':
        return std::string(month.substr(0, 3));
    case 'A':
        return std::string(weekday());
    case 'a':
        return std::string(weekday().substr(0, 3));
    case 'w':
        return std::to_string(weekdayOf(time));
    case 'u':
        return std::to_string(weekdayOf(time) == 0 ? 7 : weekdayOf(time));
    case 'j':
        return padded(dayOfYear(time), 3);
    case 'H':
        return padded(time.hour, 2);
    case 'I':
        return padded(hour12, 2);
    case 'M':
        return padded(time.minute, 2);
    case 'S':
        return padded(time.second, 2);
    case 'f':
        return "000000";
    case 'p':
        return time.hour < 12 ? "AM" : "PM";
    case 'U':
        return padded((dayOfYear(time) + 6 - weekdayOf(time)) / 7, 2);
    case 'W':
        return padded((dayOfYear(time) + 6 - (weekdayOf(time) + 6) % 7) / 7, 2);
    case 'F':
        return formatDateTime(time, "%Y-%m-%d");
    case 'T':
    case 'X':
        return formatDateTime(time, "%H:%M:%S");
    case 'R':
        return formatDateTime(time, "%H:%M");
    case 'D':
    case 'x':
        return formatDateTime(time, "%m/%d/%y");
    case 'c':
        return formatDateTime(time, "%a %b %e %H:%M:%S %Y");
    case 'z':
    case 'Z':
        return {};
    case 'n':
        return "\n";
    case 't':
        return "\t";
    case '%':
        return "%";
    default:
        throw TemplateFailure(std::string("strftime_now: the directive '%") + letter + "' is not supported");
    }
}

} // namespace

std::optional<DateTime> parseDateTime(std::string_view iso)
{
    DateTime time;
    if (!readDate(iso, time))
        return {};
    if (skip(iso, "T ") && !readTime(iso, time))
        return {};
    if (!iso.empty() || !dateOf(time).ok() || time.year < 1 || time.hour > 23 || time.minute > 59 || time.second > 59)
        return {};
    return time;
}

DateTime currentDateTime()
{
    const std::time_t now = std::time(nullptr);
    std::tm local {};
    localtime_r(&now, &local);
    return { local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec };
}

std::string formatDateTime(const DateTime& time, std::string_view format)
{
    std::string out;
    for (size_t at = 0; at < format.size(); ++at) {
        if (format[at] != '%') {
            out += format[at];
            continue;
        }
        if (++at == format.size())
            throw TemplateFailure("strftime_now: the format ends with '%'");
        if (format[at] == '-' && at + 1 < format.size()) { // glibc: without the leading zeros or spaces
            const std::string text = directive(time, format[++at]);
            const size_t first = text.find_first_not_of(text[0] == ' ' ? " " : "0");
            out += first == std::string::npos ? "0" : text.substr(first);
        } else {
            out += directive(time, format[at]);
        }
    }
    return out;
}

Value makeRange(const Arguments& arguments)
{
    const size_t count = arguments.positional.size();
    if (!arguments.keywords.empty() || count < 1 || count > 3)
        throw TypeFailure("range takes one to three integers");
    int64_t begin = 0;
    int64_t step = 1;
    int64_t end = integerOr(arguments.positional[0], 0);
    if (count > 1) {
        begin = end;
        end = integerOr(arguments.positional[1], 0);
    }
    if (count > 2)
        step = integerOr(arguments.positional[2], 1);
    if (step == 0)
        throw ValueFailure("range() arg 3 must not be zero");
    std::vector<Value> items;
    for (int64_t at = begin; step > 0 ? at < end : at > end;) {
        if (items.size() >= maxRange)
            throw TemplateFailure("a range of more than " + std::to_string(maxRange) + " values is refused");
        items.emplace_back(at);
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    auto range = std::make_shared<Sequence>(Sequence::Kind::range, std::move(items));
    range->label = "range(" + std::to_string(begin) + ", " + std::to_string(end)
        + (step == 1 ? std::string() : ", " + std::to_string(step)) + ")";
    return std::shared_ptr<const Sequence>(std::move(range));
}

Value makeDict(const Arguments& arguments)
{
    if (arguments.positional.size() > 1)
        throw TypeFailure("dict takes at most one argument without a name");
    auto dict = std::make_shared<Dict>();
    if (!arguments.positional.empty()) {
        const Value& source = arguments.positional[0];
        if (source.dict()) {
            *dict = *source.dict();
        } else {
            for (const Value& pair : iterate(source)) {
                const auto parts = iterate(pair);
                if (parts.size() != 2)
                    throw ValueFailure("dict needs pairs of a key and a value");
                dict->set(parts[0], parts[1]);
            }
        }
    }
    for (const auto& [name, value] : arguments.keywords)
        dict->set(Value(name), value);
    return std::shared_ptr<const Dict>(std::move(dict));
}

void checkNamespaceName(std::string_view name)
{
    if (!name.empty() && name[0] == '_')
        throw TemplateFailure("a namespace cannot have the attribute '" + std::string(name)
            + "': names that start with an underscore are refused");
}

void fillNamespace(Namespace& space, const Arguments& arguments)
{
    const Value dict = makeDict(arguments);
    for (const auto& [key, value] : dict.dict()->entries) {
        const std::string& name = textOf(key, "the name of an attribute");
        checkNamespaceName(name);
        space.attributes.insert_or_assign(name, value);
    }
}

} // namespace tunebench::jinja
