#!/usr/bin/env python3
"""Right values for packing (TRL) and for batches of similar length (transformers): writes batching.json.

Usage: make_batching.py OUT.json
Needs: trl 1.16, transformers 5.24, torch. Both are given lengths of rows; transformers' shuffle is replaced by an order
that stands in the file, so that only the grouping is compared.
"""
import json, random, sys
from unittest import mock
import datasets, torch
from transformers.trainer_pt_utils import get_length_grouped_indices
from trl.data_utils import pack_dataset

chance = random.Random(7)


def packed(lengths, most):
    rows = datasets.Dataset.from_dict({"input_ids": [[i] * n for i, n in enumerate(lengths)]})
    result = pack_dataset(rows, most, strategy="bfd")
    return [sorted(lengths[i] for i in dict.fromkeys(row)) for row in result["input_ids"]]


def grouped(lengths, batch):
    order = list(range(len(lengths)))
    chance.shuffle(order)
    with mock.patch("torch.randperm", lambda n, generator=None: torch.tensor(order)):
        return {"lengths": lengths, "batch": batch, "order": order, "grouped": get_length_grouped_indices(lengths, batch)}


def lengths(count, most):
    return [max(1, min(most, int(chance.lognormvariate(4, 0.8)))) for _ in range(count)]


packs = [([700, 500, 300, 200, 100, 100], 1000), ([5], 8), ([8, 8, 8], 8), (lengths(60, 256), 256), (lengths(400, 128), 512)]
groups = [(chance.sample(range(1, 1000), 10), 4), (chance.sample(range(1, 1000), 100), 4), (chance.sample(range(1, 5000), 450), 2)]
result = {
    "packing": [{"lengths": l, "max_length": m, "sequences": sorted(packed(l, m))} for l, m in packs],
    "length_grouped": [grouped(l, b) for l, b in groups],
}
with open(sys.argv[1], "w") as out:
    json.dump(result, out, separators=(",", ":"))
    out.write("\n")
