#!/usr/bin/env python3
"""Make small tokenizers in the files that are not tokenizer.json, with the ids of the libraries that read them.

Usage: make_model_files.py FOLDER
Writes FOLDER/NAME.model (SentencePiece, trained on sentences.txt) and FOLDER/NAME.model.golden.json: {"ids": {index:
ids of `sentencepiece`}} for the texts of texts.json that name no special token.
Writes FOLDER/small.tekken.json (Mistral's format) and its golden, with the ids of `tokenizers` on the same ranks.
Needs: pip install sentencepiece tokenizers
"""
import base64
import contextlib
import io
import json
import os
import sys
import tempfile

import sentencepiece as spm
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

MARK = "\u2581"
# A character map of its own, so that the model file stays small: full-width letters, a ligature, two kinds of space.
RULES = [("\uff21", "A"), ("\uff22", "B"), ("\ufb01", "fi"), ("\u00a0", " "), ("\u3000", " "), ("\t", " "),
         ("e\u0301", "\u00e9"), ("\u200b", "")]
MODELS = {
    "llama": dict(byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False),
    "mapped": dict(user_defined_symbols=["<sep>", "\ufb01n", "12"], control_symbols=["<ctl>"]),
    "gemma": dict(byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                  add_dummy_prefix=False, pad_id=0, eos_id=1, bos_id=2, unk_id=3, split_digits=True,
                  user_defined_symbols=["<h1>", MARK * 2, MARK * 3, "\n\n"]),
    "unigram": dict(model_type="unigram", normalization_rule_name="identity"),
    "suffix": dict(treat_whitespace_as_suffix=True, normalization_rule_name="identity"),
}
SPECIAL = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]"]


def write(path, document):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(document, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


def train(lines, options):
    data = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # the model remembers the rules' path
        with open("rules.tsv", "w", encoding="utf-8") as rules:
            for source, target in RULES:
                rules.write("\t".join(" ".join(f"{ord(c):X}" for c in t) for t in (source, target)) + "\n")
        if "normalization_rule_name" not in options:
            options = options | {"normalization_rule_tsv": "rules.tsv"}
        spm.SentencePieceTrainer.train(**({"sentence_iterator": iter(lines), "model_writer": data, "model_type": "bpe",
                                           "vocab_size": 1100, "hard_vocab_limit": False, "character_coverage": 0.98,
                                           "minloglevel": 2} | options))
    return data.getvalue()


def sentencepiece_golden(model, texts):
    pieces = spm.SentencePieceProcessor(model_proto=model)
    special = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size()) if pieces.is_control(i) or pieces.is_unknown(i)]
    return {"ids": {str(i): pieces.encode(t) for i, t in enumerate(texts) if not any(s in t for s in special)}}


def spelled(data):
    table = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = {b: chr(0x100 + n) for n, b in enumerate(b for b in range(256) if b not in table)}
    return "".join(chr(b) if b in table else others[b] for b in data)


def tekken(folder, texts):
    trained = json.load(open(os.path.join(folder, "tekken.tokenizer.json"), encoding="utf-8"))
    pattern = trained["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    of_character = {spelled(bytes([b])): b for b in range(256)}
    ranks = [bytes([b]) for b in range(256)]
    ranks += [bytes(of_character[c] for c in a + b) for a, b in trained["model"]["merges"]]
    ranks = list(dict.fromkeys(ranks))
    kept = len(ranks) - 20
    document = {"config": {"pattern": pattern, "num_vocab_tokens": len(ranks), "default_vocab_size": kept + 10,
                           "default_num_special_tokens": 10, "version": "v11"},
                "vocab": [{"rank": r, "token_bytes": base64.b64encode(b).decode(), "token_str": None}
                          for r, b in enumerate(ranks)],
                "special_tokens": [{"rank": r, "token_str": t, "is_control": True} for r, t in enumerate(SPECIAL)]}
    write(os.path.join(folder, "small.tekken.json"), document)
    place = {b: r for r, b in enumerate(ranks[:kept])}
    merges = [(spelled(b[:i]), spelled(b[i:])) for b in place for i in range(1, len(b)) if b[:i] in place and b[i:] in place]
    special = SPECIAL + [f"<SPECIAL_{i}>" for i in range(len(SPECIAL), 10)]
    vocabulary = {t: i for i, t in enumerate(special)} | {spelled(b): r + 10 for b, r in place.items()}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=True))
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in special])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    write(os.path.join(folder, "small.tekken.golden.json"),
          {"ids": {str(i): tokenizer.encode(t, add_special_tokens=False).ids for i, t in enumerate(texts)}})


def main():
    folder = os.path.abspath(sys.argv[1])
    lines = open(os.path.join(folder, "sentences.txt"), encoding="utf-8").read().split("\n")
    texts = json.load(open(os.path.join(folder, "texts.json"), encoding="utf-8"))
    for name, options in MODELS.items():
        model = train(lines, options)
        with open(os.path.join(folder, name + ".model"), "wb") as out:
            out.write(model)
        if name not in ("unigram", "suffix"):
            write(os.path.join(folder, name + ".model.golden.json"), sentencepiece_golden(model, texts))
    tekken(folder, texts)


main()
