#!/usr/bin/env python3
"""Adapters and models that Tunebench trained, loaded by PEFT and transformers: row by row the same loss.

Usage: check_adapter_in_peft.py TUNEBENCH_CLI [FAMILY...]
Needs: pip install torch==2.11.0 transformers==5.24.0 peft==0.21.0

Trains LoRA of each kind and whole models on the small models of this folder, then asks both programs for the loss of
each row with what was saved (Tunebench: one step a row at a learning rate that changes nothing, and no dropout). Prints
the largest relative difference; exit status 1 when it is above 1e-5, or when PEFT misses or does not expect a tensor.
"""
import json, os, shutil, subprocess, sys, tempfile, warnings
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

HERE = os.path.dirname(os.path.abspath(__file__))
warnings.simplefilter("error", UserWarning)  # PEFT only warns of tensors that it misses
warnings.filterwarnings("ignore", message="Model has `tie_word_embeddings=True`")
KINDS = {"LoRA": {}, "rsLoRA with dropout": {"use_rslora": "true", "lora_dropout": 0.1}, "DoRA": {"use_dora": "true"},
         "DoRA with dropout, head whole": {"use_dora": "true", "lora_dropout": 0.2, "modules_to_save": "lm_head"},
         "modules whole": {"modules_to_save": "embed_tokens,lm_head,norm,o_proj"}}


def tunebench(family, rows, runs, **options):
    common = {"model": os.path.join(HERE, family), "dataset": rows, "precision": "fp32", "compute": "fp32", "device": "cpu",
              "order": "sequential", "eval_share": 0, "max_length": 128, "accumulation_steps": 1, "warmup_ratio": 0, **options}
    sets = [part for key, value in common.items() for part in ("--set", f"{key}={value}")]
    out = subprocess.run([sys.argv[1], "train", "--json", "--runs", runs, *sets], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    run = max((os.path.join(runs, name) for name in os.listdir(runs)), key=os.path.getmtime)
    return [line["loss"] for line in lines if line["type"] == "step"], run


def largest_difference(model, rows, losses):
    with torch.no_grad():
        right = [float(model(input_ids=torch.tensor([row["input_ids"]]), labels=torch.tensor([row["labels"]])).loss)
                 for row in rows]
    return max(abs(a - b) / b for a, b in zip(losses, right))


def without_dropout(adapter, folder):
    """A copy that computes in training what it computes in evaluation."""
    shutil.copytree(adapter, folder)
    path = os.path.join(folder, "adapter_config.json")
    config = {**json.load(open(path)), "lora_dropout": 0.0}
    json.dump(config, open(path, "w"))
    return folder


load = AutoModelForCausalLM.from_pretrained
worst = 0.0
for family in sys.argv[2:] or ("llama", "qwen2", "mistral_window", "gemma", "gemma2", "gemma3_text", "phi3", "phi4"):
    base = os.path.join(HERE, family)
    data = json.load(open(base + "_reference.json"))["rows"]
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        with open(rows, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in data)
        probe = dict(batch_size=1, learning_rate=1e-12)
        differences = {}
        for kind, options in KINDS.items():
            place = os.path.join(folder, kind)
            _, run = tunebench(family, rows, place, batch_size=8, learning_rate=0.02, epochs=3, **options)
            adapter = os.path.join(run, "adapter")
            losses, _ = tunebench(family, rows, place + " again", adapter=without_dropout(adapter, place + " still"), **probe)
            differences[kind] = largest_difference(PeftModel.from_pretrained(load(base), adapter).eval(), data, losses)
        _, run = tunebench(family, rows, os.path.join(folder, "whole"), method="full", batch_size=8, learning_rate=0.002)
        model = os.path.join(run, "model")
        losses, _ = tunebench(family, rows, os.path.join(folder, "whole again"), model=model, **probe)
        differences["model"] = largest_difference(load(model).eval(), data, losses)
    for kind, difference in differences.items():
        print(f"{family}, {kind}: {len(data)} rows, largest relative difference {difference:.1e}")
        worst = max(worst, difference)
sys.exit(worst > 1e-5)
