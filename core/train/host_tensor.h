#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <span>

namespace tunebench {

/// A tensor on `device` with the given numbers; on the meta device with the shape alone.
template <class T> at::Tensor hostTensor(std::span<const T> numbers, at::IntArrayRef shape, at::Device device)
{
    const auto options = at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value);
    if (device.is_meta())
        return at::empty(shape, options.device(device));
    auto tensor = at::empty(shape, options.device(at::kCPU));
    std::ranges::copy(numbers, tensor.template mutable_data_ptr<T>());
    return device.is_cpu() ? tensor : tensor.to(device);
}

/// A scalar's value; 0 on the meta device, where nothing has one.
inline double scalarValue(const at::Tensor& scalar)
{
    return scalar.is_meta() ? 0.0 : scalar.item<double>();
}

} // namespace tunebench
