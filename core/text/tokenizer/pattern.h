#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer/tokenizer.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// What Split and Replace look for: a literal string or a regular expression. Regular expressions are written for
/// Oniguruma's Ruby syntax; what PCRE2 would read in another way is refused.
class Pattern {
public:
    static Pattern literal(std::string text);
    static Result<Pattern> regex(std::string_view expression);
    /// `{"String": "..."}` or `{"Regex": "..."}`.
    static Result<Pattern> fromJson(const nlohmann::json& json);

    /// Non-overlapping matches from left to right; `text` is valid UTF-8. A search that exceeds PCRE2's limits ends
    /// there, as if nothing more matched.
    void findAll(std::string_view text, std::vector<ByteSpan>& matches) const;

private:
    struct Code;
    std::string m_literal;
    std::shared_ptr<const Code> m_code; ///< null for literals
};

} // namespace tunebench
