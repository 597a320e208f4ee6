#!/usr/bin/env python3
"""How long plans take: one alone on one core, and a grid of 200 as the Plan page asks for.

Usage: time_plans.py --cli build/release/bin/tunebench-cli --tokenizer SMOLLM2_FOLDER --data ROWS.json [--repeats 3]
                     [--types fp32,bf16,fp16] [--options KEY=VALUE ...] [--shapes resources/model_shapes.json]

Needs torch and transformers, which make a model of Qwen2.5-0.5B's shape with random weights. Its LoRA is planned for the
processor. "One" is what each further plan of 8 rows of up to 1,024 tokens adds to a command that has made one, on one
core; "200" is the whole command, with its start and with reading the rows. Prints a Markdown table of medians.
"""
import argparse, json, os, pathlib, statistics, tempfile, time

from call_cli import must
from random_model import save_random_model

p = argparse.ArgumentParser()
for name in ("cli", "tokenizer", "data"):
    p.add_argument(f"--{name}", required=True)
p.add_argument("--repeats", type=int, default=3)
p.add_argument("--types", default="fp32,bf16,fp16")
p.add_argument("--options", nargs="*", default=[])
p.add_argument("--shapes", default=pathlib.Path(__file__).parents[2] / "resources/model_shapes.json")
a = p.parse_args()

GRID = {"batch_size": "1,2,4,8,16", "max_length": "128,256,512,1024,2048", "gradient_checkpointing": "off,full",
        "lora_rank": "4,8,16,32"}


def seconds(options, grid, cells):
    begin = time.monotonic()
    (answer,) = must(a.cli, "plan", options, *(part for key, values in grid.items() for part in ("--grid", f"{key}={values}")))
    assert len(answer["grid"]) == cells
    return time.monotonic() - begin


def one(options):
    """Seconds that a plan adds, on one core; ranks differ so that no two plans are the same."""
    further = 20
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    options = {**options, "batch_size": 8, "max_length": 1024}
    first = seconds(options, {"lora_rank": "1"}, 1)
    all_of_them = seconds(options, {"lora_rank": ",".join(map(str, range(1, 2 + further)))}, 1 + further)
    os.sched_setaffinity(0, cores)
    return (all_of_them - first) / further


with tempfile.TemporaryDirectory() as folder:
    shape = next(s["config"] for s in json.loads(pathlib.Path(a.shapes).read_text()) if s["name"] == "Qwen2.5-0.5B")
    save_random_model(folder, "qwen2", {k: v for k, v in shape.items() if k != "model_type"}, 1, a.tokenizer, "bfloat16")
    print("| products | one plan | 200 plans |\n|---|---|---|")
    for kind in a.types.split(","):
        options = {"model": folder, "dataset": a.data, "device": "cpu", "method": "lora", "compute": kind,
                   **dict(option.split("=", 1) for option in a.options)}
        alone = statistics.median(one(options) for _ in range(a.repeats))
        whole = statistics.median(seconds(options, GRID, 200) for _ in range(a.repeats))
        print(f"| {kind} | {alone * 1000:.0f} ms | {whole:.1f} s |", flush=True)
