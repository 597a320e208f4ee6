#pragma once

#include "core/config/options.h"
#include "core/train/plan_memory.h"
#include "ui/base/device_memory.h"
#include "ui/data/data_analysis.h"

#include <QString>

#include <optional>
#include <vector>

class QColor;
class QPalette;

namespace tunebench {

/// What is planned otherwise than the form has it; nothing: as the form has it.
struct Variation {
    std::optional<int64_t> batchSize {}; ///< accumulation_steps follows, where the effective batch can be kept
    std::optional<int64_t> maxLength {}; ///< tokens
    /// precision and compute; compute alone where all weights are trained, precision alone where it is nf4
    std::optional<NumberType> numbers {};
    std::optional<GradientCheckpointing> checkpointing {};
    std::optional<int64_t> everyLayers {}; ///< checkpoint_every_layers

    bool operator==(const Variation&) const = default;
};
ConfigChoice varied(ConfigChoice choice, const Variation& variation);

/// A batch that is chosen is not solved for any more.
ConfigChoice withoutEffectiveBatch(ConfigChoice choice);

/// Options that differ from the form's.
struct NamedChoice {
    QString text; ///< "gradient_checkpointing full"
    ConfigChoice choice;
};

/// What all plans of the page are about.
struct PlanBasis {
    SharedData data; ///< with lengths of rows
    ConfigChoice choice; ///< the form's
    MemoryLimit limit; ///< what the plans have to fit into

    bool operator==(const PlanBasis& other) const
    {
        return data == other.data && choice.values == other.choice.values && choice.set == other.choice.set
            && limit.bytes == other.limit.bytes && limit.name == other.limit.name;
    }
};

/// Powers of two that the rows can fill, and the form's own.
std::vector<int64_t> plannedBatchSizes(const PlanBasis& basis);

/// The longest row in tokens, a multiple of 8 where the model reads as many; a larger max_length changes nothing.
int64_t longestLength(const PlanBasis& basis);

/// The longest row, the powers of two below it (the six longest), and the form's own.
std::vector<int64_t> plannedLengths(const PlanBasis& basis);

/// A time that follows from the plan's: "12 s"; on a card that was not measured "at best 12 s".
QString plannedDuration(const MemoryPlan& plan, double seconds);

enum class Fit { unknown, fits, tight, tooBig };

/// Whether so much finds room; tight: with less than a twentieth of the limit to spare. Unknown without a limit.
Fit fitOf(int64_t needed, int64_t limit);

/// "fits", and a sign that tells it without colour.
QString fitText(Fit fit);
QChar fitSign(Fit fit);
QColor fitColour(const QPalette& palette, Fit fit);

} // namespace tunebench
