#pragma once

#include "core/config/number_text.h"

#include <cmath>
#include <string>

namespace tunebench {

/// "13 %": a share in whole percents.
inline std::string percent(double share)
{
    return numberText(std::round(share * 100)) + " %";
}

} // namespace tunebench
