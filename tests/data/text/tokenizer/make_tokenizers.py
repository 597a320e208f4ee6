#!/usr/bin/env python3
"""Train the small tokenizers of this folder, one for each set of components that a model family uses (and a few that
only exercise components), with the `tokenizers` library. What a real file says about its components is copied, the
vocabulary is trained on sentences.txt.

Usage: make_tokenizers.py FOLDER    (writes FOLDER/*.tokenizer.json)
Needs: pip install tokenizers
"""
import json
import os
import sys

from tokenizers import AddedToken, Tokenizer, models, trainers

SPECIAL_IDS = {t: {"id": t, "ids": [i], "tokens": [t]} for i, t in enumerate(["<unk>", "<s>", "</s>"])}
MARK = "\u2581"
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + REST
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + REST
TEKKEN = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
          r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level(use_regex, prefix=False, trim=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": use_regex}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def sequence(key, *parts):
    return {"type": "Sequence", key: list(parts)}


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def template(*pieces):
    single = [{"Sequence": {"id": "A", "type_id": 0}} if p == "A" else {"SpecialToken": {"id": p, "type_id": 0}}
              for p in pieces]
    return {"type": "TemplateProcessing", "single": single, "pair": [{"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {p: SPECIAL_IDS[p] for p in pieces if p != "A"}}


def metaspace(scheme, splits):
    return {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": splits}


SPM_DECODER = [replace(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
SPM_MODEL = {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}
SPM_SPECIAL = ["<unk>", "<s>", "</s>"]
CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
AFFIXES = ("continuing_subword_prefix", "end_of_word_suffix")
BYTES = [f"<0x{b:02X}>" for b in range(256)]

FAMILIES = {
    "gpt2": dict(pre=byte_level(True), post=byte_level(True, trim=True), decoder=byte_level(True),
                 special=["<|endoftext|>"]),
    "gpt2_prefix": dict(pre=byte_level(True, prefix=True), post=byte_level(True), decoder=byte_level(True),
                        special=["<|endoftext|>"]),
    "smollm": dict(pre=sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, byte_level(True)),
                   decoder=byte_level(True), post=template("A"), special=CHATML),
    "llama3": dict(pre=sequence("pretokenizers", split(LLAMA3), byte_level(False)), decoder=byte_level(True),
                   post=sequence("processors", byte_level(True, trim=False), template("<s>", "A")),
                   model={"ignore_merges": True}, special=["<pad>", "<s>"] + CHATML,
                   unreachable=["Ġworldwide", "Ġtiếng", "åīįæĹ¥"]),
    "qwen": dict(normalizer={"type": "NFC"}, pre=sequence("pretokenizers", split(QWEN), byte_level(False, trim=False)),
                 decoder=byte_level(False), post=byte_level(False, trim=False), special=CHATML,
                 ordinary=["<think>", "</think>", "<tool_call>"]),
    "tekken": dict(pre=sequence("pretokenizers", split(TEKKEN), byte_level(False)), decoder=byte_level(True),
                   post=template("<s>", "A"), special=SPM_SPECIAL, model={"ignore_merges": True}),
    "llama2": dict(normalizer=sequence("normalizers", {"type": "Prepend", "prepend": MARK}, replace(" ", MARK)),
                   model=SPM_MODEL, post=template("<s>", "A"), decoder=sequence("decoders", *SPM_DECODER, STRIP),
                   special=SPM_SPECIAL, bytes=True),
    "llama2_normalized": dict(
        normalizer=sequence("normalizers", {"type": "Prepend", "prepend": MARK}, replace(" ", MARK)),
        model=SPM_MODEL, post=template("<s>", "A", "</s>"), decoder=sequence("decoders", *SPM_DECODER, STRIP),
        special=SPM_SPECIAL, bytes=True, normalized=True),
    "mistral": dict(pre=metaspace("first", False), model=SPM_MODEL, post=template("<s>", "A"),
                    decoder=sequence("decoders", *SPM_DECODER, STRIP), special=SPM_SPECIAL + ["[INST]", "[/INST]"],
                    bytes=True),
    "metaspace": dict(pre=metaspace("always", True), model={"unk_token": "<unk>"}, decoder=metaspace("always", True),
                      special=SPM_SPECIAL),
    "metaspace_never": dict(pre=metaspace("never", True), model={"unk_token": "<unk>", "fuse_unk": True},
                            decoder=metaspace("never", True), special=SPM_SPECIAL),
    "gemma": dict(normalizer=replace(" ", MARK), pre=split(" ", "MergedWithPrevious", kind="String"), model=SPM_MODEL,
                  post=template("<s>", "A"), decoder=sequence("decoders", *SPM_DECODER),
                  special=SPM_SPECIAL + ["<start_of_turn>", "<end_of_turn>"],
                  ordinary=["\n\n", "\n\n\n", MARK * 2, MARK * 3, "<h1>", "\t\t"], bytes=True),
    "flags": dict(normalizer={"type": "NFKC"}, pre=sequence("pretokenizers", split(r"\s+", "Removed"),
                                                            {"type": "Digits", "individual_digits": False}),
                  model={"unk_token": "<unk>", "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"},
                  special=["<unk>"], decoder=sequence("decoders", replace("</w>", " ")),
                  flagged=[dict(content="<mask>", lstrip=True), dict(content="<tail>", rstrip=True),
                           dict(content="the", single_word=True), dict(content="\ufb01ne", normalized=True),
                           dict(content="<both>", lstrip=True, rstrip=True, normalized=True),
                           dict(content="on", single_word=True, normalized=True)]),
    "behaviors": dict(pre=sequence("pretokenizers", split(r"[.,!?]", "MergedWithPrevious"),
                                   split(r"\p{Lu}", "MergedWithNext"), split(r"[\p{Lo}\p{M}]", "Contiguous"),
                                   split(r"\w+", "Removed", invert=True)),
                      model={"unk_token": "<unk>"}, special=["<unk>"], decoder=None),
    "words": dict(normalizer={"type": "NFKC"}, pre={"type": "Whitespace"}, model={"unk_token": "<unk>"},
                  special=["<unk>"], decoder={"type": "BPEDecoder", "suffix": "e"},
                  flagged=[dict(content="\n", lstrip=True, rstrip=True), dict(content="<both>", rstrip=True)]),
    "whitespace_split": dict(pre=sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace("first", True)),
                             model={"unk_token": "<unk>", "fuse_unk": True}, special=["<unk>"],
                             decoder=metaspace("first", True)),
    "replace_regex": dict(normalizer=sequence("normalizers", replace(r"\s+", " ", "Regex"), {"type": "NFKD"},
                                              replace(r"\p{Mn}", "", "Regex")),
                          pre=byte_level(True), decoder=byte_level(True), special=[]),
}


def trained(family, lines):
    tokenizer = Tokenizer(models.BPE(**{k: v for k, v in family.get("model", {}).items() if k != "ignore_merges"}))
    document = json.loads(tokenizer.to_str())
    document |= {"normalizer": family.get("normalizer"), "pre_tokenizer": family.get("pre")}
    if not family.get("pre") or family["pre"]["type"] == "Metaspace" and not family["pre"]["split"]:
        document["pre_tokenizer"] = split(MARK, "MergedWithNext", kind="String")  # or whole sentences become tokens
        if family.get("pre"):
            document["normalizer"] = replace(" ", MARK)
    tokenizer = Tokenizer.from_str(json.dumps(document))
    special = family["special"] + (BYTES if family.get("bytes") else [])
    alphabet = [chr(c) for c in [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144)]]
    byte_vocabulary = '"ByteLevel"' in json.dumps(family.get("pre"))
    affixes = {k: v for k, v in family.get("model", {}).items() if k in AFFIXES}
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        **affixes, vocab_size=900 + len(special), special_tokens=special, show_progress=False,
        limit_alphabet=10 ** 6 if byte_vocabulary else 250, initial_alphabet=alphabet if byte_vocabulary else []))
    return json.loads(tokenizer.to_str())


def finished(family, document):
    document |= {"normalizer": family.get("normalizer"), "pre_tokenizer": family.get("pre"),
                 "post_processor": family.get("post"), "decoder": family.get("decoder")}
    document["model"] |= {"ignore_merges": False} | family.get("model", {})
    vocabulary = document["model"]["vocab"]
    for token in family.get("unreachable", []):
        vocabulary[token] = len(vocabulary)
    document["added_tokens"] = [t for t in document["added_tokens"] if t["content"] not in BYTES]
    for token in document["added_tokens"]:
        token["normalized"] = family.get("normalized", False)
    tokenizer = Tokenizer.from_str(json.dumps(document))
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in family.get("ordinary", [])])
    tokenizer.add_tokens([AddedToken(**({"normalized": False} | t)) for t in family.get("flagged", [])])
    return json.loads(tokenizer.to_str())


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    lines = open(os.path.join(here, "sentences.txt"), encoding="utf-8").read().split("\n")
    for name, family in FAMILIES.items():
        document = finished(family, trained(family, lines))
        if name in ("gpt2", "llama2"):
            document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
        with open(os.path.join(sys.argv[1], name + ".tokenizer.json"), "w", encoding="utf-8") as out:
            json.dump(document, out, ensure_ascii=False, separators=(",", ":"))
            out.write("\n")


main()
