#include "tests/fuzz/fuzz_targets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// libFuzzer's entry; TUNEBENCH_FUZZ_TARGET is the name of one target.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const auto target = std::find_if(fuzzTargets().begin(), fuzzTargets().end(),
        [](const FuzzTarget& known) { return known.name == TUNEBENCH_FUZZ_TARGET; });
    target->run({ reinterpret_cast<const char*>(data), size });
    return 0;
}
