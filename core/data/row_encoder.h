#pragma once

#include "core/data/chat_rows.h"

#include <string>

namespace tunebench {

/// A row as tokens, not truncated yet, and what the chat template left out.
struct EncodedRow {
    TokenRow row;
    RowNotes notes;
};

/// With the tokenizer's own special tokens; where the text begins with the start token already, one of the two goes.
std::vector<TokenId> encodePlain(const TextModel& model, const std::string& text);

/// Turns records into tokens and labels by the options' rules. May be used from several threads at once.
class RowEncoder {
public:
    /// The setup's `text` may be null for rows of tokens alone; it must outlive the encoder. `today` is the ISO date
    /// that chat templates see.
    RowEncoder(LossOn lossOn, const EncodingSetup& setup, std::string today);

    /// Of a preference pair the answers are supervised, whatever loss_on says. Refuses, with the reason, also a row
    /// with an id that the vocabulary does not have, and one without a target.
    Read<EncodedRow> encode(Record record) const;

private:
    Read<EncodedRow> encodeText(const Record& record) const;
    Read<EncodedRow> encodePair(const PreferenceRecord& record) const;
    Read<EncodedRow> tokens(const ChatRecord& record, LossOn lossOn) const;
    TokenRow tokens(const PromptRecord& record, LossOn lossOn) const;
    TokenRow tokens(const TextRecord& record) const;
    Read<void> check(const TokenRow& row) const;
    std::string withEndOfText(std::string text) const;

    LossOn m_lossOn;
    const TextModel* m_text;
    size_t m_vocabularySize;
    std::string m_today;
    std::string m_endOfText; ///< the token as text; empty where the tokenizer names none
};

} // namespace tunebench
