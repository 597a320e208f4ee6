#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>
#include <functional>
#include <initializer_list>
#include <vector>

namespace tunebench {

/// While it lives, what runs is one operation to those who count or time operations, as LibTorch's own are: for our own
/// kernels.
class RecordedOperation {
public:
    /// `schema` lives as long as the program and gives the name; `tensors` are what is read and written, its type that
    /// of the first.
    RecordedOperation(const c10::FunctionSchema& schema, std::initializer_list<at::Tensor> tensors)
    {
        if (!m_function.isActive())
            return;
        m_tensors.assign(tensors.begin(), tensors.end());
        m_function.before(std::cref(schema), &m_tensors);
    }

private:
    std::vector<c10::IValue> m_tensors;
    at::RecordFunction m_function { at::RecordScope::FUNCTION };
};

} // namespace tunebench
