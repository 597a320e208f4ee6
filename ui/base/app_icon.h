#pragma once

#include <QIcon>

namespace tunebench {

/// A falling loss curve on a blue tile, drawn at the usual sizes.
QIcon appIcon();

} // namespace tunebench
