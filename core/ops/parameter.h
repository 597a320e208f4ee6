#pragma once

#include <ATen/core/Tensor.h>
#include <string>

namespace tunebench {

/// A tensor of the model. Trained ones are fp32 and have a gradient (fp32, the same shape) that backward passes add to.
struct Parameter {
    std::string name; ///< as transformers calls it
    at::Tensor value;
    at::Tensor gradient; ///< undefined when frozen

    bool exists() const { return value.defined(); }
    bool trained() const { return gradient.defined(); }
};

} // namespace tunebench
