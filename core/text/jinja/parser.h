#pragma once

#include "core/text/jinja/ast.h"

#include <string_view>

namespace tunebench::jinja {

/// Parses a template as jinja2 3.1 does, with the extensions of transformers: break, continue and generation.
/// Throws TemplateFailure with the line; tags, filters and tests that are not known are named.
Program parseTemplate(std::string_view source);

} // namespace tunebench::jinja
