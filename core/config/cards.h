#pragma once

#include "core/base/result.h"
#include "core/config/options.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tunebench {

/// A graphics card that a run can be planned for, and limited to, without owning it (resources/cards.json).
struct Card {
    std::string name; ///< "GTX 1650"
    int64_t memory = 0; ///< bytes, as sold
    int64_t usable = 0; ///< bytes that a program finds free when nothing else runs
    std::string computeCapability; ///< "7.5"
    bool tensorCores = false; ///< fp16 products are fast
    bool bf16 = false; ///< it multiplies bf16, as fast as fp16
    double bytesPerSecond = 0; ///< of its memory, as published
    double fp32Flops = 0; ///< of products a second, as published: of the reference card at its boost clock
    double fp16Flops = 0; ///< the same for fp16 with sums in fp32, without sparsity; only tensor cores gain by it
};

/// The number of a CUDA device, as the option `device` names it: of "cuda:1" it is 1, of "cuda" 0; nothing for others.
std::optional<int> cudaNumber(std::string_view device);

/// Smallest families first.
std::span<const Card> cards();

/// The card of the list that a name or a driver's name for it stands for ("NVIDIA GeForce GTX 1650 SUPER" is a GTX
/// 1650); nullptr for others.
const Card* findCard(std::string_view name);

/// The card of the list that a run on CUDA names; nullptr where it names none.
const Card* namedCard(const RunConfig& config);

/// The options for planning on the card of the list that they name: on the CUDA device that it is, unless they name a
/// device themselves. Others stay as they are.
ConfigChoice asOnItsCard(ConfigChoice choice);

/// The bytes that a card of the list has for a run ("GTX 1650", "rtx3060", "NVIDIA GeForce GTX 1650"), or an amount as
/// it stands: "4080218931", "3.8 GiB", "3900 MiB", "4 GB". An error names the cards.
Result<int64_t> cardBytes(std::string_view nameOrBytes);

/// What the device refuses more than in a run with these options: memory_limit, else the card's bytes; 0: no limit. The
/// smaller of the two where both are set.
int64_t limitBytes(const RunConfig& config);

} // namespace tunebench
