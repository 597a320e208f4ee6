#include "core/data/row_encoder.h"

#include "core/data/chat_rows.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace tunebench {
namespace {

std::string isoNow()
{
    const std::time_t now = std::time(nullptr);
    std::tm local {};
    localtime_r(&now, &local);
    std::array<char, 32> text {};
    const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &local);
    return { text.data(), length };
}

std::string endOfText(const TextModel* text)
{
    if (text == nullptr)
        return {};
    if (text->templateVariables.is_object() && text->templateVariables.contains("eos_token")
        && text->templateVariables["eos_token"].is_string())
        return text->templateVariables["eos_token"].get<std::string>();
    return text->eos ? text->tokenizer.tokenOf(*text->eos).value_or("") : "";
}

/// Labels for tokens that lie in a supervised span as a whole; one that straddles a border is not learned.
std::vector<TokenId> labelsIn(const Encoding& encoding, const std::vector<ByteSpan>& supervised)
{
    std::vector<TokenId> labels(encoding.ids.size(), ignoredLabel);
    size_t next = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
        const ByteSpan token = encoding.spans[i];
        while (next < supervised.size() && supervised[next].end <= token.begin)
            ++next;
        if (next < supervised.size() && supervised[next].begin <= token.begin && token.end <= supervised[next].end)
            labels[i] = encoding.ids[i];
    }
    return labels;
}

} // namespace

RowEncoder::RowEncoder(const RunConfig& config, const TextModel* text)
    : m_config(config)
    , m_text(text)
    , m_now(isoNow())
    , m_endOfText(endOfText(text))
{
}

tl::expected<EncodedRow, std::string> RowEncoder::encode(Record record) const
{
    tl::expected<TokenRow, std::string> row;
    if (auto* given = std::get_if<TokenRow>(&record))
        row = std::move(*given);
    else if (m_text == nullptr)
        return tl::unexpected(std::string("a row of text needs a model's tokenizer"));
    else if (const auto* chat = std::get_if<ChatRecord>(&record))
        row = tokens(*chat);
    else if (const auto* prompt = std::get_if<PromptRecord>(&record))
        row = tokens(*prompt);
    else
        row = tokens(std::get<TextRecord>(record));
    if (!row)
        return tl::unexpected(std::move(row.error()));
    auto cut = truncateRow(*row, m_config.maxLength, m_config.truncation);
    if (!cut)
        return tl::unexpected(std::move(cut.error()));
    return EncodedRow { std::move(*row), *cut };
}

tl::expected<TokenRow, std::string> RowEncoder::tokens(const ChatRecord& record) const
{
    if (!m_text->chatTemplate)
        return tl::unexpected(std::string("it is a chat, and the model has no chat template"));
    auto rendered = renderChat(record, *m_text, m_config.lossOn, m_now);
    if (!rendered)
        return tl::unexpected(std::move(rendered.error()));
    // The template has written the special tokens already.
    Encoding encoding = m_text->tokenizer.encodeWithSpans(rendered->text, false);
    auto labels = labelsIn(encoding, rendered->supervised);
    return TokenRow { std::move(encoding.ids), std::move(labels), 0 };
}

/// As TRL 1.16 (SFTTrainer, tokenize_fn): prompt and prompt + completion are encoded each with the tokenizer's own
/// special tokens, and the completion begins where the two differ.
tl::expected<TokenRow, std::string> RowEncoder::tokens(const PromptRecord& record) const
{
    const auto prompt = m_text->tokenizer.encode(record.prompt, true);
    auto ids = m_text->tokenizer.encode(record.prompt + withEndOfText(record.completion), true);
    auto labels = ids;
    if (m_config.lossOn == LossOn::assistant) {
        const auto [first, unused] = std::mismatch(ids.begin(), ids.end(), prompt.begin(), prompt.end());
        std::fill(labels.begin(), labels.begin() + (first - ids.begin()), ignoredLabel);
    }
    return TokenRow { std::move(ids), std::move(labels), 0 };
}

tl::expected<TokenRow, std::string> RowEncoder::tokens(const TextRecord& record) const
{
    auto ids = m_text->tokenizer.encode(withEndOfText(record.text), true);
    auto labels = ids;
    return TokenRow { std::move(ids), std::move(labels), 0 };
}

/// Added as text, unless the text ends with it already, as TRL's add_eos does.
std::string RowEncoder::withEndOfText(std::string text) const
{
    if (!text.ends_with(m_endOfText))
        text += m_endOfText;
    return text;
}

} // namespace tunebench
