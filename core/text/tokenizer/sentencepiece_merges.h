#pragma once

#include "core/text/tokenizer/bpe.h"

namespace tunebench {

/// The merges that SentencePiece's BPE makes: two neighbours whose texts together are a token, the highest score
/// first. `scores` has one entry for each id; tokens whose score is not finite take no part.
MergeTable sentencePieceMerges(const Vocabulary& vocabulary, const std::vector<double>& scores);

} // namespace tunebench
