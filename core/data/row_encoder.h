#pragma once

#include "core/data/records.h"
#include "core/data/truncation.h"

#include <string>

namespace tunebench {

/// A row as tokens, and what truncation took of it.
struct EncodedRow {
    TokenRow row;
    RowCut cut;
};

/// Turns records into tokens and labels by the options' rules. May be used from several threads at once.
class RowEncoder {
public:
    /// `text` may be null for rows of tokens alone; `config` and `text` must outlive the encoder. Every row sees the
    /// same date, that of the encoder's making.
    RowEncoder(const RunConfig& config, const TextModel* text);

    tl::expected<EncodedRow, std::string> encode(Record record) const;

private:
    tl::expected<TokenRow, std::string> tokens(const ChatRecord& record) const;
    tl::expected<TokenRow, std::string> tokens(const PromptRecord& record) const;
    tl::expected<TokenRow, std::string> tokens(const TextRecord& record) const;
    std::string withEndOfText(std::string text) const;

    const RunConfig& m_config;
    const TextModel* m_text;
    std::string m_now;
    std::string m_endOfText; ///< the token as text; empty where the tokenizer names none
};

} // namespace tunebench
