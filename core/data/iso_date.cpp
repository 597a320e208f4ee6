#include "core/data/iso_date.h"

#include <array>
#include <ctime>

namespace tunebench {

std::string isoToday()
{
    const std::time_t now = std::time(nullptr);
    std::tm local {};
    localtime_r(&now, &local);
    std::array<char, 16> text {};
    const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d", &local);
    return { text.data(), length };
}

} // namespace tunebench
