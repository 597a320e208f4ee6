#include "ui/window/settings.h"

#include <QSettings>

#include <system_error>

namespace tunebench {

WindowLayout storedLayout()
{
    const QSettings settings;
    return { settings.value(QStringLiteral("window/geometry")).toByteArray(),
        settings.value(QStringLiteral("window/train_page")).toByteArray(),
        settings.value(QStringLiteral("window/data_page")).toByteArray(),
        settings.value(QStringLiteral("window/plan_page")).toByteArray(),
        settings.value(QStringLiteral("window/runs_page")).toByteArray() };
}

void storeLayout(const WindowLayout& layout)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), layout.geometry);
    settings.setValue(QStringLiteral("window/train_page"), layout.trainPage);
    settings.setValue(QStringLiteral("window/data_page"), layout.dataPage);
    settings.setValue(QStringLiteral("window/plan_page"), layout.planPage);
    settings.setValue(QStringLiteral("window/runs_page"), layout.runsPage);
}

Theme storedTheme()
{
    return themeFromName(QSettings().value(QStringLiteral("window/theme")).toString());
}

void storeTheme(Theme theme)
{
    QSettings().setValue(QStringLiteral("window/theme"), themeName(theme));
}

Result<ConfigChoice> readLastConfig(const std::filesystem::path& file)
{
    std::error_code problem;
    if (!std::filesystem::exists(file, problem)) {
        return ConfigChoice {};
    }
    return configFromFile(file.string());
}

} // namespace tunebench
