#!/usr/bin/env python3
"""Weights after some optimizer steps with fixed gradients, for tests/core/train/tst_optimizer.cpp.

Usage: make_optimizers.py > optimizers.json
Needs: pip install torch==2.11.0 lion-pytorch==0.2.5
A matrix decays, a vector does not.
"""
import json
import torch
from lion_pytorch import Lion

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
print(json.dumps(out))
