#!/usr/bin/env python3
"""Train a small SentencePiece BPE model on sentences.txt and write its pieces, scores and types as a GGUF file holds
them, with the ids that the `sentencepiece` library gives for the texts of texts.json that name no special token.

Usage: make_sentencepiece.py FOLDER    (writes FOLDER/sentencepiece.json)
Needs: pip install sentencepiece
"""
import io
import json
import os
import sys

import sentencepiece as spm


def token_type(model, piece):
    return (2 if model.is_unknown(piece) else 3 if model.is_control(piece) else 6 if model.is_byte(piece) else 1)


def main():
    folder = sys.argv[1]
    data = io.BytesIO()
    lines = open(os.path.join(folder, "sentences.txt"), encoding="utf-8").read().split("\n")
    spm.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=data, model_type="bpe", vocab_size=1000,
                                   byte_fallback=True, character_coverage=0.98, normalization_rule_name="identity",
                                   remove_extra_whitespaces=False, minloglevel=2)
    model = spm.SentencePieceProcessor(model_proto=data.getvalue())
    ids = range(model.get_piece_size())
    texts = json.load(open(os.path.join(folder, "texts.json"), encoding="utf-8"))
    plain = [i for i, t in enumerate(texts) if t and "\0" not in t and not any(s in t for s in ("<s>", "</s>", "<unk>"))]
    document = {"tokens": [model.id_to_piece(i) for i in ids], "scores": [model.get_score(i) for i in ids],
                "types": [token_type(model, i) for i in ids],
                "golden": {str(i): model.encode(texts[i]) for i in plain}}
    with open(os.path.join(folder, "sentencepiece.json"), "w", encoding="utf-8") as out:
        json.dump(document, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


main()
