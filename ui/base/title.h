#pragma once

#include <QString>

class QLabel;
class QWidget;

namespace tunebench {

/// The bold line above a part of a page; belongs to `parent`.
QLabel* makeTitle(const QString& text, QWidget* parent);

} // namespace tunebench
