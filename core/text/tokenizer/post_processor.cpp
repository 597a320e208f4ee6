#include "core/text/tokenizer/post_processor.h"

#include "core/text/tokenizer/component_json.h"
#include "core/text/tokenizer/vocabulary.h"

namespace tunebench {

using nlohmann::json;

namespace {

/// `special_tokens.<name>.ids` of a TemplateProcessing.
Result<std::vector<TokenId>> idsOfSpecialToken(const ComponentReader& component, const std::string& name)
{
    const json& table = component.member("special_tokens");
    const auto entry = table.is_object() ? table.find(name) : table.end();
    const auto wrong = [&] { return component.wrong("special_tokens." + name, "an object with a list \"ids\""); };
    if (!table.is_object() || entry == table.end() || !entry->is_object() || !entry->contains("ids")
        || !entry->at("ids").is_array()) {
        return wrong();
    }
    std::vector<TokenId> ids;
    for (const json& id : entry->at("ids")) {
        if (!id.is_number_unsigned() || id.get<uint64_t>() > static_cast<uint64_t>(Vocabulary::highestId)) {
            return wrong();
        }
        ids.push_back(id.get<TokenId>());
    }
    return ids;
}

Result<std::string> pieceName(const ComponentReader& component, const json& piece)
{
    if (!piece.is_object() || !piece.contains("id") || !piece.at("id").is_string()) {
        return component.wrong("single", "a list of {\"SpecialToken\": {\"id\": ...}} and {\"Sequence\": ...}");
    }
    return piece.at("id").get<std::string>();
}

void append(Encoding& encoding, const Encoding& text)
{
    encoding.ids.insert(encoding.ids.end(), text.ids.begin(), text.ids.end());
    encoding.spans.insert(encoding.spans.end(), text.spans.begin(), text.spans.end());
}

} // namespace

Result<PostProcessor::Template> PostProcessor::templateFromJson(const ComponentReader& component)
{
    const Result<const json*> pieces = component.list("single");
    if (!pieces) {
        return tl::unexpected(pieces.error());
    }
    Template result;
    for (const json& piece : **pieces) {
        const bool special = piece.is_object() && piece.contains("SpecialToken");
        const bool sequence = piece.is_object() && piece.contains("Sequence");
        const Result<std::string> name = pieceName(component,
            special        ? piece["SpecialToken"]
                : sequence ? piece["Sequence"]
                           : json());
        if (!name) {
            return tl::unexpected(name.error());
        }
        if (sequence && *name != "A") {
            return component.wrong("single", "made of the sequence A only");
        }
        if (sequence) {
            result.emplace_back(Text {});
            continue;
        }
        Result<std::vector<TokenId>> ids = idsOfSpecialToken(component, *name);
        if (!ids) {
            return tl::unexpected(ids.error());
        }
        result.emplace_back(std::move(*ids));
    }
    return result;
}

Result<PostProcessor> PostProcessor::fromJson(const json& value)
{
    const Result<std::vector<ComponentReader>> components = flattenSequence(value, "post_processor", "processors");
    if (!components) {
        return tl::unexpected(components.error());
    }
    PostProcessor processor;
    for (const ComponentReader& component : *components) {
        if (component.type() == "ByteLevel") {
            continue;
        }
        if (component.type() != "TemplateProcessing") {
            return component.unknownType("Sequence, TemplateProcessing and ByteLevel");
        }
        Result<Template> known = templateFromJson(component);
        if (!known) {
            return tl::unexpected(known.error());
        }
        processor.m_templates.push_back(std::move(*known));
    }
    return processor;
}

Encoding PostProcessor::apply(Encoding encoding) const
{
    for (const Template& pieces : m_templates) {
        Encoding result;
        for (const Piece& piece : pieces) {
            if (std::holds_alternative<Text>(piece)) {
                append(result, encoding);
                continue;
            }
            const auto& ids = std::get<std::vector<TokenId>>(piece);
            const size_t at = result.spans.empty() ? 0 : result.spans.back().end;
            result.ids.insert(result.ids.end(), ids.begin(), ids.end());
            result.spans.insert(result.spans.end(), ids.size(), { at, at });
        }
        encoding = std::move(result);
    }
    return encoding;
}

} // namespace tunebench
