#pragma once

namespace tunebench {

/// Gives the meta device the ATen operators that the step uses and that LibTorch has no meta kernel for: their shapes
/// and the memory that the real ones take. With them the step itself runs dry. Calling it again does nothing.
void registerMetaKernels();

} // namespace tunebench
