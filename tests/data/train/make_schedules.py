#!/usr/bin/env python3
"""Learning-rate factors of transformers' schedules, for tests/core/train/tst_schedule.cpp.

Usage: make_schedules.py > schedules.json
Needs: pip install torch==2.11.0 transformers==5.24.0
"""
import json
import torch
from transformers import get_scheduler

out = []
for name in ["constant", "linear", "cosine"]:
    for total, warmup in [(20, 0), (20, 3), (7, 7), (1, 0), (50, 10)]:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        kind = "constant_with_warmup" if name == "constant" else name
        scheduler = get_scheduler(kind, optimizer, num_warmup_steps=warmup, num_training_steps=total)
        factors = []
        for _ in range(total):
            factors.append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
        out.append({"scheduler": name, "total": total, "warmup": warmup, "factors": factors})
print(json.dumps(out))
