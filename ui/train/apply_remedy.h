#pragma once

#include "core/runs/remedy.h"

namespace tunebench {

class ConfigModel;

/// Puts all changes of a remedy into the form in one step, which undo takes back.
void applyRemedy(ConfigModel& model, const Remedy& remedy);

} // namespace tunebench
