#pragma once

#include "core/text/tokenizer/pattern.h"

#include <variant>

namespace tunebench {

/// The decoder of tokenizer.json, from tokens to text: Sequence, ByteLevel, Replace, ByteFallback, Fuse, Strip,
/// Metaspace and BPEDecoder.
class Decoder {
public:
    /// Null gives one that puts a space between tokens.
    static Result<Decoder> fromJson(const nlohmann::json& json);

    std::string apply(std::vector<std::string> tokens) const;

private:
    struct ByteLevelStep {
        void apply(std::vector<std::string>& tokens) const;
    };
    struct ReplaceStep {
        Pattern pattern;
        std::string content;
        void apply(std::vector<std::string>& tokens) const;
    };
    struct ByteFallbackStep {
        void apply(std::vector<std::string>& tokens) const;
    };
    struct FuseStep {
        void apply(std::vector<std::string>& tokens) const;
    };
    struct StripStep {
        std::string character;
        size_t start, stop; ///< how many at most are taken away at each end of a token
        void apply(std::vector<std::string>& tokens) const;
    };
    struct MetaspaceStep {
        std::string mark;
        bool dropsFirst; ///< marks in the first token are left out, not turned to spaces
        void apply(std::vector<std::string>& tokens) const;
    };
    struct SuffixStep {
        std::string suffix; ///< becomes a space, and nothing in the last token
        void apply(std::vector<std::string>& tokens) const;
    };
    using Step
        = std::variant<SuffixStep, ByteLevelStep, ReplaceStep, ByteFallbackStep, FuseStep, StripStep, MetaspaceStep>;
    static Result<Step> stepFromJson(const class ComponentReader& component);

    std::vector<Step> m_steps;
    bool m_spaced = false;
};

} // namespace tunebench
