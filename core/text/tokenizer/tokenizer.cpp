#include "core/text/tokenizer/tokenizer.h"

#include "core/text/tokenizer/tokenizer_implementation.h"
#include "core/text/utf8.h"

#include <algorithm>

namespace tunebench {

namespace {

/// One way of a text through the components, up to the post-processor.
class EncodingRun {
public:
    EncodingRun(const Tokenizer::Implementation& parts, bool tracked)
        : m_parts(parts)
        , m_tracked(tracked)
    {
    }

    Encoding run(std::string_view input)
    {
        for (const TextSegment& segment : m_parts.addedTokens.split(input, false)) {
            if (segment.token) {
                append(*segment.token, segment.span);
                continue;
            }
            const std::string_view part = input.substr(segment.span.begin, segment.span.end - segment.span.begin);
            AlignedText text(part, segment.span.begin, m_tracked);
            m_parts.normalizer.apply(text);
            encodeNormalized(std::move(text));
        }
        return std::move(m_encoding);
    }

private:
    void encodeNormalized(AlignedText text)
    {
        const std::vector<TextSegment> segments = m_parts.addedTokens.split(text.text(), true);
        if (segments.size() == 1 && !segments[0].token) {
            encodePieces(PieceList(std::move(text)));
            return;
        }
        for (const TextSegment& segment : segments) {
            if (segment.token) {
                append(*segment.token, m_tracked ? text.origin(segment.span.begin, segment.span.end) : ByteSpan {});
            } else {
                encodePieces(PieceList(text.slice(segment.span.begin, segment.span.end)));
            }
        }
    }

    void encodePieces(PieceList list)
    {
        m_parts.preTokenizer.apply(list);
        for (const ByteSpan& piece : list.pieces) {
            m_words.clear();
            m_parts.model.encode(list.at(piece), m_words);
            for (const WordToken& token : m_words) {
                append(token.id,
                    m_tracked ? list.text.origin(piece.begin + token.begin, piece.begin + token.end) : ByteSpan {});
            }
        }
    }

    void append(TokenId id, ByteSpan span)
    {
        m_encoding.ids.push_back(id);
        if (m_tracked) {
            m_encoding.spans.push_back(span);
        }
    }

    const Tokenizer::Implementation& m_parts;
    bool m_tracked;
    std::vector<WordToken> m_words;
    Encoding m_encoding;
};

/// Where each byte of replaceInvalidUtf8(text) starts and ends in `text`; spans of the replaced text are mapped back.
void mapSpansBack(std::string_view text, std::vector<ByteSpan>& spans)
{
    std::vector<size_t> origins;
    for (size_t position = 0; position < text.size();) {
        const Utf8Part part = utf8PartAt(text, position);
        origins.insert(origins.end(), part.valid ? part.length : 3, position);
        position += part.length;
    }
    origins.push_back(text.size());
    for (ByteSpan& span : spans) {
        span = { origins[span.begin], origins[span.end] };
    }
}

Encoding encodeText(const Tokenizer::Implementation& parts, std::string_view text, bool addSpecialTokens, bool tracked)
{
    Encoding encoding;
    if (isValidUtf8(text)) {
        encoding = EncodingRun(parts, tracked).run(text);
    } else {
        encoding = EncodingRun(parts, tracked).run(replaceInvalidUtf8(text));
        mapSpansBack(text, encoding.spans);
    }
    return addSpecialTokens ? parts.postProcessor.apply(std::move(encoding)) : encoding;
}

} // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Implementation> implementation)
    : m_implementation(std::move(implementation))
{
}

Result<Tokenizer> Tokenizer::fromDefinition(Result<TokenizerDefinition> definition, std::string_view where)
{
    return std::move(definition)
        .and_then([](TokenizerDefinition read) { return Implementation::create(std::move(read)); })
        .map([](std::shared_ptr<const Implementation> parts) { return Tokenizer(std::move(parts)); })
        .map_error([&](const Error& error) {
            return Error { std::string(where) + ": " + error.message, error.fault };
        });
}

Result<Tokenizer> Tokenizer::fromJson(std::string_view json, std::string_view where)
{
    return fromDefinition(readTokenizerJson(json), where);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool addSpecialTokens) const
{
    return encodeText(*m_implementation, text, addSpecialTokens, false).ids;
}

Encoding Tokenizer::encodeWithSpans(std::string_view text, bool addSpecialTokens) const
{
    return encodeText(*m_implementation, text, addSpecialTokens, true);
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const
{
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        if (const std::string* added = m_implementation->addedTokens.spellingOf(id)) {
            tokens.push_back(*added);
        } else if (const auto token = m_implementation->model.vocabulary().tokenOf(id)) {
            tokens.emplace_back(*token);
        }
    }
    return m_implementation->decoder.apply(std::move(tokens));
}

std::optional<TokenId> Tokenizer::idOf(std::string_view token) const
{
    const std::optional<TokenId> added = m_implementation->addedTokens.idOf(token);
    return added ? added : m_implementation->model.vocabulary().idOf(token);
}

std::optional<std::string> Tokenizer::tokenOf(TokenId id) const
{
    if (const std::string* token = m_implementation->addedTokens.tokenOf(id)) {
        return *token;
    }
    const std::optional<std::string_view> token = m_implementation->model.vocabulary().tokenOf(id);
    return token ? std::optional<std::string>(*token) : std::nullopt;
}

size_t Tokenizer::size() const
{
    return std::max(m_implementation->addedTokens.size(), m_implementation->model.vocabulary().size());
}

} // namespace tunebench
