#pragma once

#include <span>
#include <string_view>

/// What the fuzzers and the test of their corpus feed with bytes: the readers of everything that a person brings. Each
/// must come back, whatever the bytes are; what they read or refuse is left to the other tests.
struct FuzzTarget {
    std::string_view name;
    void (*run)(std::string_view input);
};

std::span<const FuzzTarget> fuzzTargets();
