#pragma once

#include "core/base/result.h"
#include "core/config/options.h"
#include "ui/base/theme.h"

#include <QByteArray>

#include <filesystem>

namespace tunebench {

/// How the window looked when it was closed; kept in the user's settings.
struct WindowLayout {
    QByteArray geometry, trainPage, dataPage, planPage, runsPage;
};
WindowLayout storedLayout();
void storeLayout(const WindowLayout& layout);

Theme storedTheme();
void storeTheme(Theme theme);

/// The last configuration as a config file of the options that were set. A missing file is an empty choice.
Result<ConfigChoice> readLastConfig(const std::filesystem::path& file);

} // namespace tunebench
