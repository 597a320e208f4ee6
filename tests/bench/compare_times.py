#!/usr/bin/env python3
"""Planned beside measured seconds of a step.

Usage: compare_times.py --cli build/release/bin/tunebench-cli --model SMOLLM2_FOLDER --data ROWS.json --pairs PAIRS.json
                        [--repeats 5] [--device cpu] [--cases NAME,NAME] [--table FILE.md]

Each repeat measures the device with doctor and then probes every case once: three steps to warm up, five that count. A
case's ratio is the median of its repeats; the spread is that of the repeats. Prints a Markdown table; the exit status is
1 where a ratio is more than 15 % from one. Give it a machine that does nothing else.
"""
import argparse, pathlib, statistics, sys

from call_cli import measure_machine, must

p = argparse.ArgumentParser()
for name in ("cli", "model", "data", "pairs"):
    p.add_argument(f"--{name}", required=True)
p.add_argument("--repeats", type=int, default=5)
p.add_argument("--device", default="cpu")
p.add_argument("--cases", default="")
p.add_argument("--table")
a = p.parse_args()

COMMON = {"model": a.model, "dataset": a.data, "device": a.device, "batch_size": 2, "accumulation_steps": 1,
          "max_length": 256, "packing": "true", "method": "lora", "precision": "fp32", "compute": "fp32"}
CASES = {
    "fp32": {},
    "bf16 under fp32": {"precision": "bf16"},
    "nf4 under fp32": {"precision": "nf4"},
    "bf16": {"precision": "bf16", "compute": "bf16"},
    "fp16": {"precision": "fp16", "compute": "fp16"},
    "nf4 under bf16": {"precision": "nf4", "compute": "bf16"},
    "all weights": {"method": "full"},
    "adamw_8bit": {"optimizer": "adamw_8bit"},
    "1 x 512": {"batch_size": 1, "max_length": 512},
    "4 x 128, 2 micro-batches": {"batch_size": 4, "max_length": 128, "accumulation_steps": 2},
    "recompute": {"gradient_checkpointing": "full"},
    "selective recompute": {"gradient_checkpointing": "selective", "compute": "bf16"},
    "DoRA and lora_dropout 0.1": {"use_dora": "true", "lora_dropout": 0.1},
    "dpo": {"objective": "dpo", "dataset": a.pairs, "packing": "false"},
}


def probe(case):
    (answer,) = must(a.cli, "probe", {**COMMON, **case})
    (result,) = answer["probe"]
    return result["predicted"]["seconds_per_step"], result["measured"]["seconds_per_step"]


chosen = {name: case for name, case in CASES.items() if not a.cases or name in a.cases.split(",")}
times = {name: [] for name in chosen}
for repeat in range(a.repeats):
    measure_machine(a.cli)
    for name, case in chosen.items():
        planned, measured = probe(case)
        times[name].append((planned, measured))
        print(f"{repeat + 1}/{a.repeats} {name}: {planned:.3f} s planned, {measured:.3f} s measured, "
              f"{planned / measured:.2f}", file=sys.stderr, flush=True)

lines = ["| run | seconds of a step | planned / measured, median | of the repeats |", "|---|---|---|---|"]
medians = []
for name, pairs in times.items():
    ratios = [planned / measured for planned, measured in pairs]
    medians.append(statistics.median(ratios))
    lines.append(f"| {name} | {statistics.median(measured for _, measured in pairs):.2f} | {medians[-1]:.2f} "
                 f"| {min(ratios):.2f} to {max(ratios):.2f} |")
table = "\n".join(lines) + "\n"
print(table)
if a.table:
    pathlib.Path(a.table).write_text(table)
sys.exit(any(abs(median - 1) > 0.15 for median in medians))
