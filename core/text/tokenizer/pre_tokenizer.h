#pragma once

#include "core/text/tokenizer/normalizer.h"

namespace tunebench {

/// A text and the pieces of it that become words, none empty, in their order.
struct PieceList {
    AlignedText text;
    std::vector<ByteSpan> pieces;

    explicit PieceList(AlignedText whole);
    std::string_view at(const ByteSpan& piece) const
    {
        return std::string_view(text.text()).substr(piece.begin, piece.end - piece.begin);
    }
};

/// What becomes of the text that a Split pattern matches.
enum class SplitBehavior { removed, isolated, contiguous, mergedWithPrevious, mergedWithNext };

/// The pre-tokenizer of tokenizer.json: Sequence, Split, ByteLevel, Digits, Metaspace, Whitespace and WhitespaceSplit,
/// built from a few steps.
class PreTokenizer {
public:
    /// Null gives one that leaves the text in one piece.
    static Result<PreTokenizer> fromJson(const nlohmann::json& json);

    void apply(PieceList& list) const;

private:
    struct SplitStep {
        Pattern pattern;
        SplitBehavior behavior;
        bool invert;
        void apply(PieceList& list) const;
    };
    struct WordStep {
        void apply(PieceList& list) const;
    };
    struct PrefixStep {
        std::string prefix;
        bool onlyAtStart; ///< of the whole input
        void apply(PieceList& list) const;
    };
    struct ReplaceInPieces {
        ReplaceStep replace;
        void apply(PieceList& list) const;
    };
    struct ByteStep {
        void apply(PieceList& list) const;
    };
    using Step = std::variant<SplitStep, WordStep, PrefixStep, ReplaceInPieces, ByteStep>;

    Result<void> add(const class ComponentReader& component);
    Result<void> addSplit(const ComponentReader& component);
    Result<void> addByteLevel(const ComponentReader& component);
    Result<void> addDigits(const ComponentReader& component);
    Result<void> addMetaspace(const ComponentReader& component);

    std::vector<Step> m_steps;
};

} // namespace tunebench
