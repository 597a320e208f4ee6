#include "ui/base/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace tunebench {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("format", text);
}

const QLocale& numberLocale()
{
    static const QLocale locale(QLocale::English);
    return locale;
}

} // namespace

QString unknownText()
{
    return QStringLiteral("\u2013");
}

QString formatBytes(int64_t bytes)
{
    constexpr std::array units { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    while (std::abs(value) >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 100 ? 0 : (value >= 10 ? 1 : 2);
    return numberLocale().toString(value, 'f', decimals) + QChar(u'\u00a0') + QLatin1String(units.at(unit));
}

QString formatBytes(std::optional<int64_t> bytes)
{
    return bytes ? formatBytes(*bytes) : unknownText();
}

QString formatCount(int64_t count)
{
    return numberLocale().toString(static_cast<qlonglong>(count));
}

QString formatShare(double share)
{
    const double percent = share * 100;
    const int decimals = percent == 0 || percent >= 99.95 ? 0 : (percent >= 0.1 ? 1 : 2);
    return numberLocale().toString(percent, 'f', decimals) + QStringLiteral("\u00a0%");
}

QString formatDuration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0) {
        return unknownText();
    }
    const auto whole = static_cast<int64_t>(std::llround(std::min(seconds, 1e9)));
    const auto two = [](int64_t number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); };
    if (whole >= 3600) {
        return translated("%1 h %2 min").arg(formatCount(whole / 3600), two(whole / 60 % 60));
    }
    if (whole >= 60) {
        return translated("%1 min %2 s").arg(whole / 60).arg(two(whole % 60));
    }
    constexpr double few = 0.1; // seconds of which one decimal says too little
    if (seconds > 0 && seconds < few) {
        return translated("%1 ms").arg(numberLocale().toString(seconds * 1000, 'f', seconds < few / 10 ? 1 : 0));
    }
    if (whole < 10) {
        return translated("%1 s").arg(numberLocale().toString(seconds, 'f', 1));
    }
    return translated("%1 s").arg(whole);
}

QString formatLoss(std::optional<double> loss)
{
    return loss && std::isfinite(*loss) ? numberLocale().toString(*loss, 'f', 4) : unknownText();
}

QString formatSpeed(std::optional<double> perSecond)
{
    if (!perSecond || !std::isfinite(*perSecond)) {
        return unknownText();
    }
    const double size = std::abs(*perSecond);
    return numberLocale().toString(*perSecond, 'f', size >= 100 ? 0 : (size >= 10 ? 1 : (size >= 1 ? 2 : 3)));
}

QString formatTime(const std::string& isoTime)
{
    const QString text = QString::fromStdString(isoTime);
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")) : text;
}

QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList toQStrings(const std::vector<std::string>& texts)
{
    QStringList result;
    std::transform(texts.begin(), texts.end(), std::back_inserter(result), &QString::fromStdString);
    return result;
}

} // namespace tunebench
