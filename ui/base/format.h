#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// What stands where a number is not known.
QString unknownText();

/// 1.50 GiB, 512 MiB, 64 B.
QString formatBytes(int64_t bytes);
QString formatBytes(std::optional<int64_t> bytes);

/// 10,000.
QString formatCount(int64_t count);

/// 12.3 %, 0.4 %, 0.02 %: a share from 0 to 1.
QString formatShare(double share);

/// 1 h 02 min, 3 min 05 s, 12 s, 1.2 s, 45 ms.
QString formatDuration(double seconds);

/// Four decimals.
QString formatLoss(std::optional<double> loss);

/// Three significant digits without an exponent where that is readable: 1,040, 87.5, 0.123.
QString formatSpeed(std::optional<double> perSecond);

/// The local date and time of an ISO 8601 text in UTC; the text itself when it is not one.
QString formatTime(const std::string& isoTime);

QString toQString(std::string_view text);
QStringList toQStrings(const std::vector<std::string>& texts);

} // namespace tunebench
