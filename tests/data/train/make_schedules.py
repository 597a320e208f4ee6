#!/usr/bin/env python3
"""Learning-rate factors of transformers' schedules, for tests/core/train/tst_schedule.cpp.

Usage: make_schedules.py > schedules.json
Needs: pip install torch==2.11.0 transformers==5.24.0
"""
import json
import torch
from transformers import get_scheduler

out = []
KINDS = {"constant": ("constant_with_warmup", {}), "linear": ("linear", {}), "cosine": ("cosine", {}),
         "cosine_restarts": ("cosine_with_restarts", {"num_cycles": 3}),
         "polynomial": ("polynomial", {"lr_end": 0.125, "power": 2.0}), "inverse_sqrt": ("inverse_sqrt", {})}
for name, (kind, specific) in KINDS.items():
    for total, warmup in [(20, 0), (20, 3), (7, 7), (1, 0), (50, 10)]:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        scheduler = get_scheduler(kind, optimizer, num_warmup_steps=warmup, num_training_steps=total,
                                  scheduler_specific_kwargs=specific)
        factors = []
        for _ in range(total):
            factors.append(scheduler.get_last_lr()[0])
            optimizer.step()
            if len(factors) < total:  # beyond the end, polynomial may divide by zero
                scheduler.step()
        out.append({"scheduler": name, "total": total, "warmup": warmup, "factors": factors})
print(json.dumps(out))
