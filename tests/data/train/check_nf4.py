#!/usr/bin/env python3
"""Losses of a published model in 4 bits, row by row, to lay beside those of a Tunebench run that learns nothing.

Usage: check_nf4.py MODEL_FOLDER ROWS.jsonl   (rows of {"input_ids": [...], "labels": [...]})
Needs: pip install torch==2.11.0 transformers==5.24.0 bitsandbytes==0.50.0

The other side: tunebench-cli train --json --set model=MODEL_FOLDER --set dataset=ROWS.jsonl --set dataset_format=tokens
    --set precision=nf4 --set compute=fp32 --set batch_size=1 --set accumulation_steps=1 --set order=sequential
    --set eval_share=0 --set learning_rate=1e-12 --set device=cpu
The numbers are bitsandbytes', with scales as nf4_weights.py says. What is not in 4 bits is held in bf16, as the file has
it where it was trained in bf16.
"""
import json, os, sys
import torch
from transformers import AutoModelForCausalLM

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from nf4_weights import pack, unpack

model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
with torch.no_grad():
    for parameter in model.parameters():
        parameter.copy_(parameter.to(torch.bfloat16))
    for module in model.model.layers.modules():
        if isinstance(module, torch.nn.Linear):
            module.weight.copy_(unpack(*pack(module.weight), module.weight.shape))
    for line in open(sys.argv[2]):
        row = json.loads(line)
        print(len(row["input_ids"]), float(model(input_ids=torch.tensor([row["input_ids"]]),
                                                 labels=torch.tensor([row["labels"]])).loss))
