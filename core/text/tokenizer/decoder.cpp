#include "core/text/tokenizer/decoder.h"

#include "core/text/tokenizer/byte_level.h"
#include "core/text/tokenizer/component_json.h"
#include "core/text/utf8.h"

#include <charconv>
#include <numeric>

namespace tunebench {

namespace {

std::string joined(const std::vector<std::string>& tokens)
{
    return std::accumulate(tokens.begin(), tokens.end(), std::string(),
        [](std::string text, const std::string& token) { return std::move(text) + token; });
}

/// The bytes that a byte-level token spells, or its own bytes where a character of it spells none.
std::string bytesOfToken(const std::string& token)
{
    std::string bytes;
    for (size_t position = 0; position < token.size(); position += utf8Length(token[position])) {
        const std::optional<unsigned char> byte = byteOfCharacter(codePointAt(token, position));
        if (!byte) {
            return token;
        }
        bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
}

/// The byte of a token <0x00> to <0xFF>.
std::optional<char> fallbackByte(const std::string& token)
{
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') {
        return std::nullopt;
    }
    unsigned byte = 0;
    const char* const end = token.data() + 5;
    const auto [stopped, error] = std::from_chars(token.data() + 3, end, byte, 16);
    return error == std::errc() && stopped == end ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

std::string replaceAll(const std::string& token, const std::vector<ByteSpan>& matches, const std::string& content)
{
    std::string result;
    size_t position = 0;
    for (const ByteSpan& match : matches) {
        result.append(token, position, match.begin - position).append(content);
        position = match.end;
    }
    return result.append(token, position);
}

} // namespace

void Decoder::ByteLevelStep::apply(std::vector<std::string>& tokens) const
{
    std::string bytes;
    for (const std::string& token : tokens) {
        bytes += bytesOfToken(token);
    }
    tokens.assign(1, replaceInvalidUtf8(bytes));
}

void Decoder::ReplaceStep::apply(std::vector<std::string>& tokens) const
{
    std::vector<ByteSpan> matches;
    for (std::string& token : tokens) {
        pattern.findAll(token, matches);
        token = replaceAll(token, matches, content);
    }
}

/// A run of byte tokens that is not valid UTF-8 becomes one U+FFFD for each of its bytes.
void Decoder::ByteFallbackStep::apply(std::vector<std::string>& tokens) const
{
    std::vector<std::string> result;
    std::string run;
    const auto flush = [&] {
        if (isValidUtf8(run)) {
            result.push_back(run);
        } else {
            result.insert(result.end(), run.size(), "\xEF\xBF\xBD");
        }
        run.clear();
    };
    for (std::string& token : tokens) {
        if (const std::optional<char> byte = fallbackByte(token)) {
            run.push_back(*byte);
            continue;
        }
        if (!run.empty()) {
            flush();
        }
        result.push_back(std::move(token));
    }
    if (!run.empty()) {
        flush();
    }
    tokens = std::move(result);
}

void Decoder::FuseStep::apply(std::vector<std::string>& tokens) const
{
    tokens.assign(1, joined(tokens));
}

void Decoder::StripStep::apply(std::vector<std::string>& tokens) const
{
    for (std::string& token : tokens) {
        std::string_view rest = token;
        for (size_t count = 0; count < start && rest.starts_with(character); ++count) {
            rest.remove_prefix(character.size());
        }
        for (size_t count = 0; count < stop && rest.ends_with(character); ++count) {
            rest.remove_suffix(character.size());
        }
        token = std::string(rest);
    }
}

void Decoder::MetaspaceStep::apply(std::vector<std::string>& tokens) const
{
    const Pattern pattern = Pattern::literal(mark);
    std::vector<ByteSpan> matches;
    for (size_t index = 0; index < tokens.size(); ++index) {
        pattern.findAll(tokens[index], matches);
        tokens[index] = replaceAll(tokens[index], matches, index == 0 && dropsFirst ? "" : " ");
    }
}

void Decoder::SuffixStep::apply(std::vector<std::string>& tokens) const
{
    const Pattern pattern = Pattern::literal(suffix);
    std::vector<ByteSpan> matches;
    for (size_t index = 0; index < tokens.size(); ++index) {
        pattern.findAll(tokens[index], matches);
        tokens[index] = replaceAll(tokens[index], matches, index + 1 == tokens.size() ? "" : " ");
    }
}

Result<Decoder::Step> Decoder::stepFromJson(const ComponentReader& component)
{
    const std::string& type = component.type();
    if (type == "ByteLevel") {
        return ByteLevelStep {};
    }
    if (type == "ByteFallback") {
        return ByteFallbackStep {};
    }
    if (type == "Fuse") {
        return FuseStep {};
    }
    if (type == "Replace") {
        return Pattern::fromJson(component.member("pattern")).and_then([&](const Pattern& pattern) {
            return component.text("content").map([&](const std::string& content) -> Step {
                return ReplaceStep { pattern, content };
            });
        });
    }
    if (type == "Strip") {
        const Result<std::string> character = component.character("content", " ");
        const Result<size_t> start = component.count("start");
        const Result<size_t> stop = component.count("stop");
        if (!character || !start || !stop) {
            return tl::unexpected(!character ? character.error() : !start ? start.error() : stop.error());
        }
        return StripStep { *character, *start, *stop };
    }
    if (type == "Metaspace") {
        const Result<std::string> mark = component.character("replacement", std::string(spaceMark));
        const Result<std::string> scheme = component.text("prepend_scheme", "always");
        if (!mark || !scheme) {
            return tl::unexpected(!mark ? mark.error() : scheme.error());
        }
        return MetaspaceStep { *mark, *scheme != "never" };
    }
    if (type == "BPEDecoder") {
        return component.text("suffix", "</w>").map([](const std::string& suffix) -> Step {
            return SuffixStep { suffix };
        });
    }
    return component.unknownType("Sequence, ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace and BPEDecoder");
}

Result<Decoder> Decoder::fromJson(const nlohmann::json& json)
{
    const Result<std::vector<ComponentReader>> components = flattenSequence(json, "decoder", "decoders");
    if (!components) {
        return tl::unexpected(components.error());
    }
    Decoder decoder;
    decoder.m_spaced = json.is_null();
    for (const ComponentReader& component : *components) {
        Result<Step> step = stepFromJson(component);
        if (!step) {
            return tl::unexpected(step.error());
        }
        decoder.m_steps.push_back(std::move(*step));
    }
    return decoder;
}

std::string Decoder::apply(std::vector<std::string> tokens) const
{
    for (size_t index = 1; m_spaced && index < tokens.size(); ++index) {
        tokens[index].insert(0, " ");
    }
    for (const Step& step : m_steps) {
        std::visit([&](const auto& known) { known.apply(tokens); }, step);
    }
    return joined(tokens);
}

} // namespace tunebench
