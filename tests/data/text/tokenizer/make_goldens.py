#!/usr/bin/env python3
"""Write the right values for the tokenizer tests: what the `tokenizers` library gives for the texts of texts.json.

Usage: make_goldens.py texts FOLDER                        (writes FOLDER/texts.json, the texts themselves)
       make_goldens.py small FOLDER                        (FOLDER/NAME.golden.json for each FOLDER/NAME.tokenizer.json)
       make_goldens.py ids TOKENIZER_JSON FOLDER/NAME.golden.json   (ids only, for the large real tokenizers)
Needs: pip install tokenizers

A golden is a list, one entry a text: the ids with special tokens; in `small` also, for texts without marks that a
normaliser joins, the spans in bytes where the library's offsets are those of whole characters, and the decoded text
where it is not the text.
"""
import json
import os
import random
import sys
import unicodedata

from tokenizers import Tokenizer

SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n ", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085",
          "\u200b", "\u180e", "\ufeff", "\x0b", "\x0c", "\u1680", "\u202f"]
EDGES = ["", "a", "'s 'T 're 'VE 'm 'lL 'd '\u017f It'\u017f I'\u017f", "12345678901", "x\u00b2 \u00bd \u2167 \u2460 \u3007",
         "\U0001d7d8\u0663\U00011066\u0bf0", "e\u0301 n\u0303 q\u0323\u0307 \u1112\u1161\u11ab \ud55c \u212b \u1e9b\u0323",
         "\ufb01ne fi \uff21\uff22 \u00e5", "->(x):\n\n\treturn x**2  # ok\r\n", "<s>a</s> <s> </s><unk>",
         "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n", "<think>\nhm\n</think>\n\n<tool_call>",
         "[INST] hi [/INST]", "<start_of_turn>user\nhi<end_of_turn>\n", "the mask <mask> and  <mask>  the then bathe the",
         "x <tail>  \n y <both>  z <both>", "on onto \u043eon on\u0301 on, _on on\u00b2 \u24d0on", "<0x0A> <0xF0> \u2581a \u2581\u2581 \u0120b",
         "a\n\nb\n\n\nc\n\n\n\nd", "\u2581", " ", "  leading and trailing  ", "\u0000\u0001\u001f\u007f\u0080\u00ad",
         "\uffff\U0010ffff\ue000\U000e0001", "UPPER lower TitleCase camelCase snake_case kebab-case",
         "worldwide ti\u1ebfng \u76ee\u524d", "\u1f468\u200d\U0001f469", "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd \U0001f1f0\U0001f1f7",
         "\u0e01\u0e33 \u0e40\u0e17\u0e1e", "\u0915\u094d\u0937\u093f", "\U00011de0\U00016ff4\U0001e6c0\U00016ec0\ua7ce"]


def make_texts(folder):
    rng = random.Random(7)
    lines = open(os.path.join(folder, "sentences.txt"), encoding="utf-8").read().split("\n")
    words = [w for line in lines for w in line.split(" ") if w]
    blocks = [(0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x800), (0x900, 0xE80), (0x1100, 0x1200),
              (0x1E00, 0x2000), (0x2000, 0x2C00), (0x3000, 0x3400), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4),
              (0xF900, 0xFFFE), (0x10000, 0x12000), (0x1D400, 0x1D800), (0x1F300, 0x1FB00), (0x20000, 0x2A000)]
    added = ["<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "<mask>", "<tail>",
             "<both>", "[INST]", "<h1>", "\n\n"]
    texts = EDGES + lines + [line.upper() for line in lines[:6]]
    texts += ["x" + space + "y" + space * 2 + "1 " + space for space in SPACES]
    for _ in range(200):
        parts = []
        for _ in range(rng.randrange(2, 8)):
            kind = rng.random()
            parts.append(rng.choice(words) if kind < 0.35 else rng.choice(SPACES) * rng.choice([1, 1, 2, 5])
                         if kind < 0.55 else rng.choice(added) if kind < 0.7 else
                         "".join(chr(rng.randrange(*rng.choice(blocks))) for _ in range(rng.randrange(1, 5)))
                         if kind < 0.9 else str(rng.randrange(10 ** rng.randrange(1, 9))))
        texts.append("".join(p + rng.choice(["", " "]) for p in parts))
    with open(os.path.join(folder, "texts.json"), "w", encoding="utf-8") as out:
        json.dump(texts, out, indent=0)
        out.write("\n")


def byte_spans(text, offsets):
    begins = [0]
    for c in text:
        begins.append(begins[-1] + len(c.encode()))
    return [[begins[a], begins[b]] for a, b in offsets]


def same_in_all_forms(text):
    return all(unicodedata.normalize(form, text) == text for form in ("NFC", "NFD", "NFKC"))


def small_golden(tokenizer, texts, spans):
    golden = []
    for text in texts:
        encoding = tokenizer.encode(text)
        entry = {"ids": encoding.ids}
        if spans and same_in_all_forms(text) and len(golden) % 3 == 0:
            entry["spans"] = byte_spans(text, encoding.offsets)
        decoded = tokenizer.decode(encoding.ids, skip_special_tokens=False)
        if decoded != text:
            entry["decoded"] = decoded
        golden.append(entry)
    return golden


def write(path, golden):
    with open(path, "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in golden) + "\n]\n")


def main():
    if sys.argv[1] == "texts":
        return make_texts(sys.argv[2])
    folder = os.path.dirname(sys.argv[3]) if sys.argv[1] == "ids" else sys.argv[2]
    texts = json.load(open(os.path.join(folder, "texts.json"), encoding="utf-8"))
    if sys.argv[1] == "ids":
        tokenizer = Tokenizer.from_file(sys.argv[2])
        return write(sys.argv[3], [tokenizer.encode(text).ids for text in texts])
    # These trim spans, or drop and multiply characters, so that the library's offsets mean something else than ours.
    without_spans = {"gpt2", "gpt2_prefix", "replace_regex", "flags", "words"}
    for file in sorted(f for f in os.listdir(folder) if f.endswith(".tokenizer.json")):
        name = file.removesuffix(".tokenizer.json")
        tokenizer = Tokenizer.from_file(os.path.join(folder, file))
        write(os.path.join(folder, name + ".golden.json"), small_golden(tokenizer, texts, name not in without_spans))


main()
