#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tunebench {

/// The first steps of a run, tried without saving anything: what the plan says of them and what they took.
struct Probe {
    int64_t plannedPeak = 0; ///< bytes, of the steps that ran
    int64_t measuredPeak = 0; ///< bytes, load included
    std::optional<double> plannedSeconds; ///< of a timed step, in the mean
    double measuredSeconds = 0; ///< of a timed step, in the mean
    double spread = 0; ///< slowest minus fastest timed step by token, as a share of the mean
    double tokensPerSecond = 0; ///< real tokens
    std::string noTime; ///< why nothing was planned, a sentence
};

constexpr int64_t probeWarmUpSteps = 3, probeTimedSteps = 5;

/// What a choice of options costs and brings beside another, and whether it is worth it here, a sentence. Both were
/// measured in one go on one device.
std::string probeSentence(
    const std::string& name, const Probe& probe, const std::string& otherName, const Probe& other);

} // namespace tunebench
