#pragma once

#include "core/model/model_spec.h"

#include <span>
#include <string>

namespace tunebench {

/// A published model that can be planned without its files (resources/model_shapes.json: the values of its config.json
/// that decide about memory and time).
struct ModelShape {
    std::string name; ///< "Qwen2.5-0.5B"
    ModelSpec spec;
};

/// From the smallest to the largest.
std::span<const ModelShape> modelShapes();

} // namespace tunebench
