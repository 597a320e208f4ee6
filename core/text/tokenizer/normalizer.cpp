#include "core/text/tokenizer/normalizer.h"

#include "core/text/tokenizer/component_json.h"
#include "core/text/utf8.h"

namespace tunebench {

void ReplaceStep::apply(AlignedText& text) const
{
    std::vector<ByteSpan> matches;
    pattern.findAll(text.text(), matches);
    if (matches.empty()) {
        return;
    }
    TextRewriter rewriter(text);
    for (const ByteSpan& match : matches) {
        rewriter.keepUntil(match.begin);
        rewriter.replaceUntil(match.end, content);
    }
    rewriter.finish();
}

void rewriteWithPrefix(TextRewriter& rewriter, std::string_view text, ByteSpan piece, std::string_view prefix)
{
    if (piece.begin == piece.end) {
        return;
    }
    const size_t first = piece.begin + utf8Length(text[piece.begin]);
    rewriter.replaceUntil(first, std::string(prefix).append(text.substr(piece.begin, first - piece.begin)));
    rewriter.keepUntil(piece.end);
}

void Normalizer::PrependStep::apply(AlignedText& text) const
{
    TextRewriter rewriter(text);
    rewriteWithPrefix(rewriter, text.text(), { 0, text.text().size() }, prefix);
    rewriter.finish();
}

Result<Normalizer::Step> Normalizer::stepFromJson(const ComponentReader& component)
{
    constexpr std::pair<std::string_view, NormalizationForm> forms[] = { { "NFC", NormalizationForm::nfc },
        { "NFD", NormalizationForm::nfd }, { "NFKC", NormalizationForm::nfkc }, { "NFKD", NormalizationForm::nfkd } };
    for (const auto& [name, form] : forms) {
        if (component.type() == name) {
            return FormStep { form };
        }
    }
    if (component.type() == "Prepend") {
        return component.text("prepend").map([](const std::string& prefix) -> Step { return PrependStep { prefix }; });
    }
    if (component.type() != "Replace") {
        return component.unknownType("Sequence, NFC, NFD, NFKC, NFKD, Replace and Prepend");
    }
    return Pattern::fromJson(component.member("pattern")).and_then([&](const Pattern& pattern) {
        return component.text("content").map([&](const std::string& content) -> Step {
            return ReplaceStep { pattern, content };
        });
    });
}

Result<Normalizer> Normalizer::fromJson(const nlohmann::json& json)
{
    const Result<std::vector<ComponentReader>> components = flattenSequence(json, "normalizer", "normalizers");
    if (!components) {
        return tl::unexpected(components.error());
    }
    Normalizer normalizer;
    for (const ComponentReader& component : *components) {
        Result<Step> step = stepFromJson(component);
        if (!step) {
            return tl::unexpected(step.error());
        }
        normalizer.m_steps.push_back(std::move(*step));
    }
    return normalizer;
}

Normalizer Normalizer::fromSentencePiece(SentencePieceNormalizer step)
{
    Normalizer normalizer;
    normalizer.m_steps.emplace_back(std::move(step));
    return normalizer;
}

void Normalizer::apply(AlignedText& text) const
{
    for (const Step& step : m_steps) {
        std::visit([&](const auto& known) { known.apply(text); }, step);
    }
}

} // namespace tunebench
