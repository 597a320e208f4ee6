#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace tunebench {

/// A regular expression in Oniguruma's Ruby syntax (what tokenizer.json holds), written for PCRE2 with UTF, UCP and
/// MULTILINE set. What the two read differently and is not translated is an error that names the construct.
Result<std::string> toPcreSyntax(std::string_view expression);

} // namespace tunebench
