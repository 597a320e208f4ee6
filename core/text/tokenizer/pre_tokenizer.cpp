#include "core/text/tokenizer/pre_tokenizer.h"

#include "core/text/tokenizer/byte_level.h"
#include "core/text/tokenizer/component_json.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

constexpr std::string_view gpt2Expression
    = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Rust's `char::is_numeric`: category N of Unicode 17, two blocks more than the regular expressions know.
constexpr std::string_view numericExpression = R"([\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}])";

struct Part {
    ByteSpan span;
    bool matched;
};

/// Matches and what lies between them, none empty.
std::vector<Part> partsOf(size_t size, const std::vector<ByteSpan>& matches, bool invert)
{
    std::vector<Part> parts;
    size_t position = 0;
    const auto add = [&](size_t end, bool matched) {
        if (end > position) {
            parts.push_back({ { position, end }, matched != invert });
        }
        position = end;
    };
    for (const ByteSpan& match : matches) {
        add(match.begin, false);
        add(match.end, true);
    }
    add(size, false);
    return parts;
}

/// True when `next` stays in one piece with the part `before` it.
bool joins(SplitBehavior behavior, const Part& before, const Part& next)
{
    switch (behavior) {
    case SplitBehavior::contiguous:
        return before.matched == next.matched;
    case SplitBehavior::mergedWithPrevious:
        return next.matched && !before.matched;
    case SplitBehavior::mergedWithNext:
        return before.matched && !next.matched;
    default:
        return false;
    }
}

/// Rewrites each piece with `write(piece)` and notes where the new pieces lie.
template <class Write> void rewritePieces(PieceList& list, TextRewriter& rewriter, const Write& write)
{
    for (ByteSpan& piece : list.pieces) {
        rewriter.keepUntil(piece.begin);
        const size_t begin = rewriter.size();
        write(piece);
        piece = { begin, rewriter.size() };
    }
    rewriter.finish();
    std::erase_if(list.pieces, [](const ByteSpan& piece) { return piece.begin == piece.end; });
}

std::optional<SplitBehavior> behaviorNamed(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> behaviors
        = { { { "Removed", SplitBehavior::removed }, { "Isolated", SplitBehavior::isolated },
            { "Contiguous", SplitBehavior::contiguous }, { "MergedWithPrevious", SplitBehavior::mergedWithPrevious },
            { "MergedWithNext", SplitBehavior::mergedWithNext } } };
    const auto* found
        = std::find_if(behaviors.begin(), behaviors.end(), [&](const auto& entry) { return entry.first == name; });
    return found == behaviors.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

PieceList::PieceList(AlignedText whole)
    : text(std::move(whole))
{
    if (!text.text().empty()) {
        pieces.push_back({ 0, text.text().size() });
    }
}

void PreTokenizer::SplitStep::apply(PieceList& list) const
{
    std::vector<ByteSpan> matches;
    std::vector<ByteSpan> result;
    for (const ByteSpan& piece : list.pieces) {
        pattern.findAll(list.at(piece), matches);
        const std::vector<Part> parts = partsOf(piece.end - piece.begin, matches, invert);
        for (size_t index = 0; index < parts.size(); ++index) {
            const ByteSpan span { piece.begin + parts[index].span.begin, piece.begin + parts[index].span.end };
            if (behavior == SplitBehavior::removed && parts[index].matched) {
                continue;
            }
            if (index > 0 && joins(behavior, parts[index - 1], parts[index])) {
                result.back().end = span.end;
            } else {
                result.push_back(span);
            }
        }
    }
    list.pieces = std::move(result);
}

/// Runs of word characters and runs of what is neither that nor white space.
void PreTokenizer::WordStep::apply(PieceList& list) const
{
    enum class Kind { space, word, other };
    const auto kindAt = [&](size_t position) {
        const char32_t character = codePointAt(list.text.text(), position);
        return isWhiteSpace(character) ? Kind::space : isWordCharacter(character) ? Kind::word : Kind::other;
    };
    std::vector<ByteSpan> result;
    for (const ByteSpan& piece : list.pieces) {
        Kind before = Kind::space;
        for (size_t position = piece.begin; position < piece.end;) {
            const Kind kind = kindAt(position);
            const size_t end = position + utf8Length(list.text.text()[position]);
            if (kind != Kind::space && kind == before) {
                result.back().end = end;
            } else if (kind != Kind::space) {
                result.push_back({ position, end });
            }
            before = kind;
            position = end;
        }
    }
    list.pieces = std::move(result);
}

void PreTokenizer::PrefixStep::apply(PieceList& list) const
{
    const std::string_view text = list.text.text();
    const bool startsInput = list.text.startsInput();
    TextRewriter rewriter(list.text);
    rewritePieces(list, rewriter, [&](const ByteSpan& piece) {
        const bool wanted = !onlyAtStart || (startsInput && piece.begin == 0);
        if (wanted && !text.substr(piece.begin, piece.end - piece.begin).starts_with(prefix)) {
            rewriteWithPrefix(rewriter, text, piece, prefix);
        } else {
            rewriter.keepUntil(piece.end);
        }
    });
}

void PreTokenizer::ReplaceInPieces::apply(PieceList& list) const
{
    std::vector<ByteSpan> matches;
    TextRewriter rewriter(list.text);
    rewritePieces(list, rewriter, [&](const ByteSpan& piece) {
        replace.pattern.findAll(list.at(piece), matches);
        for (const ByteSpan& match : matches) {
            rewriter.keepUntil(piece.begin + match.begin);
            rewriter.replaceUntil(piece.begin + match.end, replace.content);
        }
        rewriter.keepUntil(piece.end);
    });
}

void PreTokenizer::ByteStep::apply(PieceList& list) const
{
    const std::string_view text = list.text.text();
    TextRewriter rewriter(list.text);
    rewritePieces(list, rewriter, [&](const ByteSpan& piece) {
        std::string spelled;
        for (size_t position = piece.begin; position < piece.end;) {
            const size_t end = position + utf8Length(text[position]);
            spelled.clear();
            for (; position < end; ++position) {
                spelled += byteLevelCharacter(static_cast<unsigned char>(text[position]));
            }
            rewriter.replaceUntil(end, spelled);
        }
    });
}

Result<PreTokenizer> PreTokenizer::fromJson(const nlohmann::json& json)
{
    const Result<std::vector<ComponentReader>> components = flattenSequence(json, "pre_tokenizer", "pretokenizers");
    if (!components) {
        return tl::unexpected(components.error());
    }
    PreTokenizer result;
    for (const ComponentReader& component : *components) {
        if (const Result<void> added = result.add(component); !added) {
            return tl::unexpected(added.error());
        }
    }
    return result;
}

Result<void> PreTokenizer::add(const ComponentReader& component)
{
    if (component.type() == "Split") {
        return addSplit(component);
    }
    if (component.type() == "ByteLevel") {
        return addByteLevel(component);
    }
    if (component.type() == "Digits") {
        return addDigits(component);
    }
    if (component.type() == "Metaspace") {
        return addMetaspace(component);
    }
    if (component.type() == "Whitespace") {
        m_steps.emplace_back(WordStep {});
        return {};
    }
    if (component.type() == "WhitespaceSplit") {
        return Pattern::regex("\\s").map([&](const Pattern& space) {
            m_steps.emplace_back(SplitStep { space, SplitBehavior::removed, false });
        });
    }
    return component.unknownType("Sequence, Split, ByteLevel, Digits, Metaspace, Whitespace and WhitespaceSplit");
}

Result<void> PreTokenizer::addSplit(const ComponentReader& component)
{
    Result<Pattern> pattern = Pattern::fromJson(component.member("pattern"));
    const Result<std::string> behavior = component.text("behavior");
    const Result<bool> invert = component.flag("invert", false);
    if (!pattern || !behavior || !invert) {
        return tl::unexpected(!pattern ? pattern.error() : !behavior ? behavior.error() : invert.error());
    }
    const std::optional<SplitBehavior> known = behaviorNamed(*behavior);
    if (!known) {
        return component.wrong("behavior", "Removed, Isolated, Contiguous, MergedWithPrevious or MergedWithNext");
    }
    m_steps.emplace_back(SplitStep { std::move(*pattern), *known, *invert });
    return {};
}

Result<void> PreTokenizer::addByteLevel(const ComponentReader& component)
{
    const Result<bool> prefixSpace = component.flag("add_prefix_space", true);
    const Result<bool> useRegex = component.flag("use_regex", true);
    const Result<Pattern> words = Pattern::regex(gpt2Expression);
    if (!prefixSpace || !useRegex || !words) {
        return tl::unexpected(!prefixSpace ? prefixSpace.error() : !useRegex ? useRegex.error() : words.error());
    }
    if (*prefixSpace) {
        m_steps.emplace_back(PrefixStep { " ", false });
    }
    if (*useRegex) {
        m_steps.emplace_back(SplitStep { *words, SplitBehavior::isolated, false });
    }
    m_steps.emplace_back(ByteStep {});
    return {};
}

Result<void> PreTokenizer::addDigits(const ComponentReader& component)
{
    const Result<bool> individual = component.flag("individual_digits", false);
    const Result<Pattern> digit = Pattern::regex(numericExpression);
    if (!individual || !digit) {
        return tl::unexpected(!individual ? individual.error() : digit.error());
    }
    const SplitBehavior behavior = *individual ? SplitBehavior::isolated : SplitBehavior::contiguous;
    m_steps.emplace_back(SplitStep { *digit, behavior, false });
    return {};
}

Result<void> PreTokenizer::addMetaspace(const ComponentReader& component)
{
    const Result<std::string> mark = component.character("replacement", std::string(spaceMark));
    const Result<std::string> scheme = component.text("prepend_scheme", "always");
    const Result<bool> legacyPrefix = component.flag("add_prefix_space", true);
    const Result<bool> split = component.flag("split", true);
    if (!mark || !scheme || !legacyPrefix || !split) {
        return tl::unexpected(!mark ? mark.error()
                : !scheme           ? scheme.error()
                : !legacyPrefix     ? legacyPrefix.error()
                                    : split.error());
    }
    if (*scheme != "always" && *scheme != "first" && *scheme != "never") {
        return component.wrong("prepend_scheme", "always, first or never");
    }
    m_steps.emplace_back(ReplaceInPieces { { Pattern::literal(" "), *mark } });
    if (*scheme != "never" && *legacyPrefix) {
        m_steps.emplace_back(PrefixStep { *mark, *scheme == "first" });
    }
    if (*split) {
        m_steps.emplace_back(SplitStep { Pattern::literal(*mark), SplitBehavior::mergedWithNext, false });
    }
    return {};
}

void PreTokenizer::apply(PieceList& list) const
{
    for (const Step& step : m_steps) {
        std::visit([&](const auto& known) { known.apply(list); }, step);
    }
}

} // namespace tunebench
