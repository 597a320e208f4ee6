#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer/tokenizer.h"

#include <nlohmann/json_fwd.hpp>
#include <variant>

namespace tunebench {

/// The post-processor of tokenizer.json for single texts: Sequence, TemplateProcessing, and ByteLevel (which only
/// trims offsets there and changes nothing here).
class PostProcessor {
public:
    /// Null gives one that adds nothing.
    static Result<PostProcessor> fromJson(const nlohmann::json& json);

    /// Added tokens get an empty span at the end of what stands before them.
    Encoding apply(Encoding encoding) const;

private:
    struct Text { };
    using Piece = std::variant<Text, std::vector<TokenId>>;
    using Template = std::vector<Piece>;
    static Result<Template> templateFromJson(const class ComponentReader& component);

    std::vector<Template> m_templates; ///< one after the other
};

} // namespace tunebench
