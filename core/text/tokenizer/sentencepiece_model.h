#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// The fields of sentencepiece_model.proto that say how a text becomes ids.
struct SentencePieceModel {
    enum class PieceType : uint64_t { normal = 1, unknown = 2, control = 3, userDefined = 4, unused = 5, byte = 6 };
    struct Piece {
        std::string text;
        float score = 0;
        PieceType type = PieceType::normal;
    };
    enum class Kind : uint64_t { unigram = 1, bpe = 2, word = 3, characters = 4 };

    std::vector<Piece> pieces; ///< a piece's id is its place
    Kind kind = Kind::unigram;
    bool byteFallback = false;
    bool spaceBehindWords = false; ///< `treat_whitespace_as_suffix`
    int32_t bos = 1, eos = 2; ///< below 0: the model has none
    std::string characterMap; ///< `precompiled_charsmap`; empty: characters stay as they are
    bool prefixSpace = true; ///< `add_dummy_prefix`
    bool dropsExtraSpaces = true; ///< `remove_extra_whitespaces`
    bool marksSpaces = true; ///< `escape_whitespaces`: U+2581 for a space
};

/// Reads a SentencePiece `tokenizer.model` (protobuf's wire format). Errors do not name the file.
Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes);

} // namespace tunebench
