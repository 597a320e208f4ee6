#!/usr/bin/env python3
"""No path of somebody's machine, and no note of unfinished work."""
import re
import sys

from repository import ROOT, files

REFUSED = [
    (re.compile(r"(?<![\w.$}~])/(home/(?!me\b)|mnt/|opt/|root/|tmp/|work/)"), "a path of one machine"),
    (re.compile(r"\b(FIX[M]E|TO[D]O|X[X]X)\b"), "a note of unfinished work"),
]
# Real rows, texts and licences, which say what they say.
LEFT_OUT = re.compile(r"LICENSE|resources/demo/|tests/data/.*\.(jsonl?|txt|jinja)$|.*\.(png|gguf|safetensors|bin)$")

complaints = []
for path in files():
    if LEFT_OUT.match(str(path)):
        continue
    for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
        complaints += [f"{path}:{number}: {what}: {line.strip()}" for pattern, what in REFUSED if pattern.search(line)]
print("\n".join(complaints) or "Nothing to complain of.")
sys.exit(bool(complaints))
