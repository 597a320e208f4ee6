#pragma once

namespace tunebench {

/// What the gate of an MLP goes through.
enum class Activation { silu, geluTanh };

} // namespace tunebench
