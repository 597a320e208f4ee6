#!/usr/bin/env python3
"""Measure tokenizing beside Hugging Face `tokenizers`: the same texts, one thread each, by turns in one run.

Usage: compare_tokenizers.py BENCH_TOKENIZER TEXTS_FOLDER TOKENIZER_FOLDER...
BENCH_TOKENIZER is the program bench_tokenizer, TEXTS_FOLDER holds datasets (*.json lists of objects), each
TOKENIZER_FOLDER a tokenizer.json. Needs: pip install tokenizers

Prints a table with the medians of seven rounds: megabytes a second of each, and how many times as fast Tunebench is.
The peer runs `encode_batch_fast`, its fastest way (no offsets). Cold rounds use texts that neither has seen before.
"""
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
from tokenizers import Tokenizer  # noqa: E402

ROUNDS = 7
HERE = os.path.dirname(os.path.abspath(__file__))


def strings_of(value):
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in strings_of(part)]


def text_sets(folder):
    """Lists of texts by name; each list is cut into as many parts as there are rounds."""
    rng = random.Random(5)
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        rows += ["\n".join(strings_of(row)) for row in json.load(open(path, encoding="utf-8"))]
    rng.shuffle(rows)
    code = []
    for path in sorted(glob.glob(os.path.join(HERE, "../../core/*/*.cpp"))):
        code.append(open(path, encoding="utf-8").read())
    rng.shuffle(code)
    sentences = open(os.path.join(HERE, "../data/text/tokenizer/sentences.txt"), encoding="utf-8").read().split()
    scripts = [" ".join(rng.choice(sentences) for _ in range(200)) for _ in range(700)]
    unspaced = ["".join(rng.choice(sentences) for _ in range(150000))[:1000000 // 3] for _ in range(ROUNDS)]
    return {"chats": rows, "code": code, "many scripts": scripts, "no spaces": unspaced}


def measure(ours, peer, texts):
    size = sum(len(text.encode()) for text in texts) / 1e6
    ours.stdin.write(json.dumps(texts) + "\n")
    ours.stdin.flush()
    answer = json.loads(ours.stdout.readline())
    start = time.perf_counter()
    encodings = peer.encode_batch_fast(texts, add_special_tokens=False)
    seconds = time.perf_counter() - start
    if sum(len(encoding.ids) for encoding in encodings) != answer["tokens"]:
        sys.exit("the two made different numbers of tokens")
    return size / answer["seconds"], size / seconds


def main():
    bench, folder, models = sys.argv[1], sys.argv[2], sys.argv[3:]
    sets = text_sets(folder)
    print(f"{'tokenizer':<14}{'texts':<14}{'Tunebench MB/s':>15}{'tokenizers MB/s':>17}{'times as fast':>15}")
    for model in models:
        name = os.path.basename(model.rstrip("/"))
        start = time.perf_counter()
        peer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        peer_load = time.perf_counter() - start
        ours = subprocess.Popen([bench, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        load = json.loads(ours.stdout.readline())["load_seconds"]
        for texts_name, texts in sets.items():
            rounds = [measure(ours, peer, texts[part::ROUNDS]) for part in range(ROUNDS)]
            own, other = (statistics.median(speeds) for speeds in zip(*rounds))
            print(f"{name:<14}{texts_name:<14}{own:>15.1f}{other:>17.1f}{own / other:>15.2f}", flush=True)
        ours.stdin.close()
        ours.wait()
        print(f"{name:<14}{'loading':<14}{load:>13.3f} s{peer_load:>15.3f} s{peer_load / load:>15.2f}", flush=True)


main()
