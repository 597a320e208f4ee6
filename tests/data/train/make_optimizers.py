#!/usr/bin/env python3
"""Weights after some optimizer steps with fixed gradients, for tests/core/train/tst_optimizer.cpp.

Usage: make_optimizers.py > optimizers.json
Needs: pip install torch==2.11.0 lion-pytorch==0.2.5 transformers==5.24.0 bitsandbytes==0.50.0
A matrix decays, a vector does not. Of adamw_8bit, every SAMPLE-th number of a matrix that is large enough for it is
kept, and what bitsandbytes' CPU code keeps of its moments; with the nearest code, as its CUDA code has it (the CPU
library looks a number up in a table of 65,536 steps, which misses the nearest code now and then).
"""
import json
import bitsandbytes as bnb
import bitsandbytes.backends.cpu.ops as bnb_cpu
import torch
from lion_pytorch import Lion
from transformers.optimization import Adafactor

torch.manual_seed(3)
MATRIX, VECTOR = torch.randn(3, 4), torch.randn(5)
GRADIENTS = [(torch.randn(3, 4), torch.randn(5)) for _ in range(5)]
RATES = [0.01, 0.02, 0.02, 0.015, 0.005]
CASES = [
    ({"optimizer": "adamw"}, lambda groups: torch.optim.AdamW(groups, lr=1)),
    ({"optimizer": "adamw", "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3, "weight_decay": 0.5},
     lambda groups: torch.optim.AdamW(groups, lr=1, betas=(0.8, 0.95), eps=1e-3)),
    ({"optimizer": "sgd", "weight_decay": 0.1}, lambda groups: torch.optim.SGD(groups, lr=1)),
    ({"optimizer": "sgd", "momentum": 0.9}, lambda groups: torch.optim.SGD(groups, lr=1, momentum=0.9)),
    ({"optimizer": "lion"}, lambda groups: Lion(groups, lr=1, betas=(0.9, 0.999))),
    ({"optimizer": "lion", "beta1": 0.95, "beta2": 0.98, "weight_decay": 0.4},
     lambda groups: Lion(groups, lr=1, betas=(0.95, 0.98))),
    ({"optimizer": "adafactor"},
     lambda groups: Adafactor(groups, lr=1, scale_parameter=False, relative_step=False)),
    ({"optimizer": "adafactor", "weight_decay": 0.3},
     lambda groups: Adafactor(groups, lr=1, scale_parameter=False, relative_step=False)),
]
out = {"matrix": MATRIX.tolist(), "vector": VECTOR.tolist(), "rates": RATES,
       "gradients": [[g.tolist() for g in pair] for pair in GRADIENTS], "cases": []}
for options, make in CASES:
    matrix, vector = (torch.nn.Parameter(t.clone()) for t in (MATRIX, VECTOR))
    decay = options.get("weight_decay", 0.0)
    optimizer = make([{"params": [matrix], "weight_decay": decay}, {"params": [vector], "weight_decay": 0.0}])
    for rate, (first, second) in zip(RATES, GRADIENTS):
        matrix.grad, vector.grad = first.clone(), second.clone()
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
    out["cases"].append({"options": options, "matrix": matrix.tolist(), "vector": vector.tolist()})


def quantize_to_nearest(values, code, scales, codes, blocksize):
    for i, block in enumerate(values.flatten().split(blocksize)):
        scales[i] = block.abs().max()
        codes.view(-1)[i * blocksize:][:len(block)] = ((block / scales[i])[:, None] - code).abs().argmin(1)


def spread(salt, rows=61, columns=75):
    """The same numbers everywhere: of three magnitudes, and not in whole blocks."""
    i = torch.arange(rows * columns, dtype=torch.int64)
    number = ((i + salt) * 2654435761 % 2**32).double() / 2**32 - 0.5
    return (number * 10.0 ** -(i % 3)).float().view(rows, columns)


SAMPLE = 5
bnb_cpu._quant_blockwise_fp32_direct = quantize_to_nearest
large = torch.nn.Parameter(spread(0))
optimizer = bnb.optim.AdamW8bit([large], lr=1, betas=(0.9, 0.99), weight_decay=0.1)
for step, rate in enumerate(RATES):
    large.grad = spread(1000 * (step + 1))
    optimizer.param_groups[0]["lr"] = rate
    optimizer.step()
state = optimizer.state[large]
sampled = lambda tensor: tensor.flatten()[::SAMPLE].tolist()
out["adamw_8bit"] = {
    "options": {"optimizer": "adamw_8bit", "beta2": 0.99, "weight_decay": 0.1}, "sample": SAMPLE,
    "signed_map": state["qmap1"].tolist(), "unsigned_map": state["qmap2"].tolist(), "matrix": sampled(large),
    "first_moment": sampled(state["state1"]), "first_moment_scales": state["absmax1"].tolist(),
    "second_moment": sampled(state["state2"]), "second_moment_scales": state["absmax2"].tolist()}
print(json.dumps(out))
