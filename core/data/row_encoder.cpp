#include "core/data/row_encoder.h"

#include "core/data/files/text_checks.h"

#include <algorithm>

namespace tunebench {
namespace {

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

std::vector<TokenId> encodePlain(const TextModel& model, const std::string& text)
{
    auto ids = model.tokenizer.encode(text, true);
    if (model.bos && ids.size() > 1 && ids[0] == *model.bos && ids[1] == *model.bos)
        ids.erase(ids.begin());
    return ids;
}

RowEncoder::RowEncoder(LossOn lossOn, const EncodingSetup& setup, std::string today)
    : m_lossOn(lossOn)
    , m_text(setup.text)
    , m_vocabularySize(setup.vocabularySize)
    , m_today(std::move(today))
    , m_endOfText(endOfText(setup.text))
{
}

Read<EncodedRow> RowEncoder::encode(Record record) const
{
    Read<EncodedRow> row;
    if (auto* given = std::get_if<TokenRow>(&record))
        row->row = std::move(*given);
    else if (m_text == nullptr)
        return refuse("a row of text needs a model's tokenizer");
    else
        row = encodeText(record);
    if (!row)
        return row;
    if (auto checked = check(row->row); !checked)
        return refuse(checked.error());
    return row;
}

Read<EncodedRow> RowEncoder::encodeText(const Record& record) const
{
    if (const auto* chat = std::get_if<ChatRecord>(&record))
        return tokens(*chat, m_lossOn);
    if (const auto* pair = std::get_if<PreferenceRecord>(&record))
        return encodePair(*pair);
    RowNotes notes;
    if (const auto* prompt = std::get_if<PromptRecord>(&record)) {
        notes.decomposedKorean = hasConjoiningJamo(prompt->prompt) || hasConjoiningJamo(prompt->completion);
        return EncodedRow { tokens(*prompt, m_lossOn), notes };
    }
    const auto& text = std::get<TextRecord>(record);
    notes.decomposedKorean = hasConjoiningJamo(text.text);
    return EncodedRow { tokens(text), notes };
}

/// As TRL 1.16 (DPOTrainer, tokenize_fn): each answer after the prompt, with the answer supervised.
Read<EncodedRow> RowEncoder::encodePair(const PreferenceRecord& record) const
{
    const auto encodeSide = [&](const std::variant<ChatRecord, PromptRecord>& side) -> Read<EncodedRow> {
        if (const auto* chat = std::get_if<ChatRecord>(&side))
            return tokens(*chat, LossOn::assistant);
        return EncodedRow { tokens(std::get<PromptRecord>(side), LossOn::assistant), {} };
    };
    auto chosen = encodeSide(record.chosen);
    auto rejected = encodeSide(record.rejected);
    for (const auto& [name, side] : { std::pair("chosen: ", &chosen), { "rejected: ", &rejected } }) {
        if (!*side)
            return refuse(name + side->error());
        if (auto checked = check((*side)->row); !checked)
            return refuse(name + checked.error());
    }
    TokenRow& row = chosen->row;
    row.rejected = row.ids.size();
    row.ids.insert(row.ids.end(), rejected->row.ids.begin(), rejected->row.ids.end());
    row.labels.insert(row.labels.end(), rejected->row.labels.begin(), rejected->row.labels.end());
    chosen->notes.hiddenReasoning |= rejected->notes.hiddenReasoning;
    chosen->notes.decomposedKorean |= rejected->notes.decomposedKorean;
    if (chosen->notes.unknownRole.empty())
        chosen->notes.unknownRole = std::move(rejected->notes.unknownRole);
    return chosen;
}

Read<void> RowEncoder::check(const TokenRow& row) const
{
    const auto beyond = [&](TokenId id) { return id != ignoredLabel && static_cast<size_t>(id) >= m_vocabularySize; };
    for (const auto* ids : { &row.ids, &row.labels }) {
        const auto bad = m_vocabularySize > 0 ? std::find_if(ids->begin(), ids->end(), beyond) : ids->end();
        if (bad != ids->end())
            return refuse("it has token " + std::to_string(*bad) + ", but the model knows only the tokens 0 to "
                + std::to_string(m_vocabularySize - 1));
    }
    if (row.labels.empty()
        || std::all_of(row.labels.begin() + 1, row.labels.end(), [](TokenId id) { return id == ignoredLabel; }))
        return refuse("it has no supervised token to learn");
    return {};
}

Read<EncodedRow> RowEncoder::tokens(const ChatRecord& record, LossOn lossOn) const
{
    auto rendered = renderChat(record, *m_text, lossOn, m_today);
    if (!rendered)
        return refuse(rendered.error());
    // The template has written the special tokens already.
    Encoding encoding = m_text->tokenizer.encodeWithSpans(rendered->text, false);
    auto labels = labelsIn(encoding, rendered->supervised);
    rendered->notes.decomposedKorean = hasConjoiningJamo(rendered->text);
    return EncodedRow { TokenRow { std::move(encoding.ids), std::move(labels) }, std::move(rendered->notes) };
}

/// As TRL 1.16 (SFTTrainer, tokenize_fn): prompt and prompt + completion are encoded each with the tokenizer's own
/// special tokens, and the completion begins where the two differ.
TokenRow RowEncoder::tokens(const PromptRecord& record, LossOn lossOn) const
{
    const auto prompt = encodePlain(*m_text, record.prompt);
    auto ids = encodePlain(*m_text, record.prompt + withEndOfText(record.completion));
    auto labels = ids;
    if (lossOn == LossOn::assistant) {
        const auto [first, unused] = std::mismatch(ids.begin(), ids.end(), prompt.begin(), prompt.end());
        std::fill(labels.begin(), labels.begin() + (first - ids.begin()), ignoredLabel);
    }
    return TokenRow { std::move(ids), std::move(labels) };
}

TokenRow RowEncoder::tokens(const TextRecord& record) const
{
    auto ids = encodePlain(*m_text, withEndOfText(record.text));
    auto labels = ids;
    return TokenRow { std::move(ids), std::move(labels) };
}

/// Added as text, unless the text ends with it already, as TRL's add_eos does.
std::string RowEncoder::withEndOfText(std::string text) const
{
    if (!text.ends_with(m_endOfText))
        text += m_endOfText;
    return text;
}

} // namespace tunebench
