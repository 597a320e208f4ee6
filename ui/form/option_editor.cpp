#include "ui/form/option_editor.h"

#include "ui/form/line_editor.h"
#include "ui/form/lines_editor.h"
#include "ui/form/path_editor.h"
#include "ui/form/selection_editor.h"

namespace tunebench {

OptionEditor* makeOptionEditor(const Option& option, QWidget* parent)
{
    if (isPathOption(option.key)) {
        return option.kind == OptionKind::textList ? static_cast<OptionEditor*>(new PathListEditor(option, parent))
                                                   : new PathEditor(option, parent);
    }
    if (option.prose) {
        return new LinesEditor(OptionEditor::tr("none; one a line"), parent);
    }
    switch (option.kind) {
    case OptionKind::boolean:
        return new BooleanEditor(option, parent);
    case OptionKind::choice:
        return new ChoiceEditor(option, parent);
    case OptionKind::text:
        if (!suggestions(option.key).isEmpty()) {
            return new SuggestionEditor(option, parent);
        }
        break;
    case OptionKind::integer:
    case OptionKind::real:
    case OptionKind::textList:
    case OptionKind::textMap:
        break;
    }
    return new LineEditor(option, parent);
}

} // namespace tunebench
