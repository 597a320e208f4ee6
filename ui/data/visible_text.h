#pragma once

#include <QString>

namespace tunebench {

/// How whitespace is written.
enum class Spaces {
    unusual, ///< a dot where a space stands beside another, or at the end of a line
    all, ///< a dot for each
};

/// The text with signs for what the eye would miss: line ends, tabs, spaces, control and direction characters. Line
/// ends still end the line.
QString visibleText(const QString& text, Spaces spaces);

} // namespace tunebench
