#include "ui/train/apply_remedy.h"

#include "ui/form/config_model.h"

namespace tunebench {

void applyRemedy(ConfigModel& model, const Remedy& remedy)
{
    ConfigChoice choice = model.choice();
    for (const auto& [key, value] : remedy.changes) {
        static_cast<void>(applyAssignment(choice, key + "=" + value)); // it was planned so already
    }
    model.replace(std::move(choice), QString::fromStdString(remedy.text()));
}

} // namespace tunebench
