#pragma once

#include "core/text/tokenizer/pattern.h"
#include "core/text/tokenizer/sentencepiece_normalizer.h"
#include "core/text/tokenizer/unicode.h"

#include <variant>

namespace tunebench {

/// Writes `content` for every match.
struct ReplaceStep {
    Pattern pattern;
    std::string content;
    void apply(AlignedText& text) const;
};

/// Puts a text in front of [begin, end) of the old text, whatever is not empty; it stands for the first character.
void rewriteWithPrefix(TextRewriter& rewriter, std::string_view text, ByteSpan piece, std::string_view prefix);

/// The normalizer of tokenizer.json: Sequence, NFC, NFD, NFKC, NFKD, Replace and Prepend.
class Normalizer {
public:
    /// Null gives one that changes nothing.
    static Result<Normalizer> fromJson(const nlohmann::json& json);
    static Normalizer fromSentencePiece(SentencePieceNormalizer step);

    void apply(AlignedText& text) const;

private:
    struct FormStep {
        NormalizationForm form;
        void apply(AlignedText& text) const { normalizeUnicode(text, form); }
    };
    struct PrependStep {
        std::string prefix;
        void apply(AlignedText& text) const;
    };
    using Step = std::variant<FormStep, ReplaceStep, PrependStep, SentencePieceNormalizer>;
    static Result<Step> stepFromJson(const class ComponentReader& component);

    std::vector<Step> m_steps;
};

} // namespace tunebench
