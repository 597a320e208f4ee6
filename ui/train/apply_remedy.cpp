#include "ui/train/apply_remedy.h"

#include "ui/form/config_model.h"

namespace tunebench {

void applyRemedy(ConfigModel& model, const Remedy& remedy)
{
    ConfigChoice choice = model.choice();
    static_cast<void>(applyChanges(choice, remedy.changes)); // it was planned so already
    model.replace(std::move(choice), QString::fromStdString(remedy.text()));
}

} // namespace tunebench
