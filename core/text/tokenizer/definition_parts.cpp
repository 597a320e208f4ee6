#include "core/text/tokenizer/definition_parts.h"

namespace tunebench {

using nlohmann::json;

json bosEosTemplate(const std::optional<NamedToken>& bos, const std::optional<NamedToken>& eos)
{
    json single = json::array();
    json special = json::object();
    const auto add = [&](const std::optional<NamedToken>& token) {
        if (token) {
            special[token->content] = { { "ids", { static_cast<uint64_t>(token->id) } } };
            single.push_back({ { "SpecialToken", { { "id", token->content } } } });
        }
    };
    add(bos);
    single.push_back({ { "Sequence", { { "id", "A" } } } });
    add(eos);
    return { { "type", "TemplateProcessing" }, { "single", single }, { "special_tokens", special } };
}

json replaceComponent(std::string_view from, std::string_view to)
{
    return { { "type", "Replace" }, { "pattern", { { "String", from } } }, { "content", to } };
}

json sentencePieceDecoder(bool stripsFirstSpace)
{
    json decoders
        = json::array({ replaceComponent(spaceMark, " "), { { "type", "ByteFallback" } }, { { "type", "Fuse" } } });
    if (stripsFirstSpace) {
        decoders.push_back({ { "type", "Strip" }, { "content", " " }, { "start", 1 }, { "stop", 0 } });
    }
    return { { "type", "Sequence" }, { "decoders", decoders } };
}

json rawAddedToken(const std::string& content, bool special)
{
    return { { "content", content }, { "special", special }, { "normalized", false } };
}

} // namespace tunebench
