#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer/tokenizer.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// What a chat template wrote, and which bytes of it came from `{% generation %}` blocks.
struct RenderedChat {
    std::string text;
    std::vector<ByteSpan> generation;
};

/// A Jinja chat template, rendered byte for byte as transformers renders it (trim_blocks, lstrip_blocks, loop
/// controls, its own `tojson`, `raise_exception`, `strftime_now`). Templates are untrusted: nesting, steps and
/// output are bounded, and running over a bound is an error. What the engine does not know is refused by name.
class ChatTemplate {
public:
    static Result<ChatTemplate> parse(std::string_view source);

    /// `variables` is an object: messages, add_generation_prompt, bos_token, ...; `now` is an ISO date
    /// (2026-11-29 or 2026-11-29T12:00:00) that `strftime_now` sees; without it, the clock.
    Result<RenderedChat> render(const nlohmann::ordered_json& variables, std::optional<std::string> now = {}) const;

    /// True when the template marks what the assistant says with `{% generation %}`.
    bool marksGeneration() const;

    const std::string& source() const;

    struct Program;

private:
    explicit ChatTemplate(std::shared_ptr<const Program> program);
    std::shared_ptr<const Program> m_program;
};

} // namespace tunebench
