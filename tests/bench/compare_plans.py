#!/usr/bin/env python3
"""Planned beside measured memory, and planned beside measured time, over the grid of options.

Usage: compare_plans.py --cli build/release/bin/tunebench-cli --model SMOLLM2_FOLDER --data ROWS.json --pairs PAIRS.json
                        [--types fp32,bf16,fp16,nf4] [--models smollm2,gemma2,qwen2] [--sample N] [--seed 1] [--hours H]
                        [--results FILE.jsonl] [--device cpu] [--table FILE.md] [--time]

Needs torch and transformers: two models of other families (gemma2, qwen2) are made of random weights, with the
tokenizer of SMOLLM2_FOLDER. The grid: model x batch 1, 2, 4 x length 128, 256, 512 x type x gradient_checkpointing x
{LoRA on q and v, LoRA on all projections, full} x {sft, dpo} x {adamw, adamw_8bit}; the type nf4 is of the weights, with
products in fp32. `--sample` takes so many cells of it at random, `--hours` stops after so long, and `--results` keeps what
was found: cells that stand there are not run again and count in the table, so the whole grid can take several sittings.
Each cell is planned and then trained for two steps. Prints the mean and the worst error, by group; the exit status is 1
where one is more than 0.1 % and more than 1 MiB. With --time the seconds of a step are compared as well: doctor runs
first, eight steps a cell, the first three left out.
"""
import argparse, itertools, json, os, pathlib, random, shutil, statistics, sys, tempfile, time

from call_cli import measure_machine, must
from random_model import save_random_model

p = argparse.ArgumentParser()
for name in ("cli", "model", "data", "pairs"):
    p.add_argument(f"--{name}", required=True)
p.add_argument("--types", default="fp32,bf16,fp16,nf4")
p.add_argument("--sample", type=int, default=0)
p.add_argument("--seed", type=int, default=1)
p.add_argument("--hours", type=float, default=float("inf"))
p.add_argument("--models", default="smollm2,gemma2,qwen2")
p.add_argument("--results")
p.add_argument("--device", default="cpu")
p.add_argument("--table")
p.add_argument("--time", action="store_true")
a = p.parse_args()
STEPS = 8 if a.time else 2
WARM = 3 if a.time else 0


SHAPE = dict(hidden_size=384, intermediate_size=1024, num_hidden_layers=6, num_attention_heads=6, num_key_value_heads=2,
             head_dim=64, vocab_size=49152, max_position_embeddings=1024)  # of the models of other families


def cells(models):
    methods = [{"method": "lora", "lora_targets": "q_proj,v_proj"}, {"method": "lora", "lora_targets": "all-linear"},
               {"method": "full"}]
    grid = itertools.product(models, (1, 2, 4), (128, 256, 512), a.types.split(","),
                             ("off", "full", "selective", "offload"), methods, ("sft", "dpo"), ("adamw", "adamw_8bit"))
    for model, batch, length, kind, recompute, method, objective, optimizer in grid:
        full = method["method"] == "full"
        if full and (objective == "dpo" or kind in ("fp16", "nf4")):
            continue  # refused, or not in the grid
        yield {"model": model, "dataset": a.pairs if objective == "dpo" else a.data, "objective": objective,
               "batch_size": batch, "accumulation_steps": 1, "max_length": length, "compute": "fp32" if kind == "nf4" else kind,
               "precision": "fp32" if full else kind, "gradient_checkpointing": recompute, "optimizer": optimizer,
               "max_rows": 64, "max_steps": STEPS, "eval_share": 0, "device": a.device, "order": "shuffle", **method}


def compare(cell, runs):
    (plan,) = must(a.cli, "plan", cell)
    steps = [line for line in must(a.cli, "train", cell, "--runs", runs) if line.get("type") == "step"]
    measured = max(step["peak_allocated"] for step in steps)
    result = {"bytes": plan["peak_allocated"] - measured, "share": abs(plan["peak_allocated"] - measured) / measured}
    if a.time and plan["seconds_per_step"]:
        tokens = sum(step["tokens"] for step in steps) / len(steps)
        timed = steps[WARM:]
        mean_tokens = sum(step["tokens"] for step in timed) / len(timed)
        measured_time = statistics.median(step["seconds"] * mean_tokens / step["tokens"] for step in timed)
        result["time"] = plan["seconds_per_step"] * mean_tokens / tokens / measured_time
    return result


def signature(cell):
    """What tells a cell from others, wherever the files lie."""
    return str(sorted((key, str(value)) for key, value in cell.items() if key != "dataset"))


def kept_results():
    if not a.results or not os.path.exists(a.results):
        return []
    return [json.loads(line) for line in open(a.results)]


def report(lines, name, results):
    shares = [r["share"] for r in results]
    row = f"| {name} | {len(results)} | {100 * statistics.mean(shares):.4f} % | {100 * max(shares):.4f} % " \
          f"| {max(abs(r['bytes']) for r in results)} |"
    times = [r["time"] for r in results if "time" in r]
    if times:
        row += f" {statistics.median(times):.2f} | {min(times):.2f} to {max(times):.2f} |"
    lines.append(row)


if a.time:
    measure_machine(a.cli)
with tempfile.TemporaryDirectory() as folder:
    models = {"smollm2": a.model}
    for family in {"gemma2", "qwen2"} & set(a.models.split(",")):
        models[family] = os.path.join(folder, family)
        save_random_model(models[family], family, SHAPE, 1, a.model)
    grid = list(cells(a.models.split(",")))
    if a.sample:
        grid = random.Random(a.seed).sample(grid, min(a.sample, len(grid)))
    results = kept_results()
    known = {signature(cell) for cell, _ in results}
    grid = [cell for cell in grid if signature(cell) not in known]
    end = time.monotonic() + a.hours * 3600
    for number, cell in enumerate(grid):
        if time.monotonic() > end:
            break
        result = compare({**cell, "model": models[cell["model"]]}, os.path.join(folder, "runs"))
        shutil.rmtree(os.path.join(folder, "runs"), ignore_errors=True)
        results.append((cell, result))
        if a.results:
            with open(a.results, "a") as file:
                file.write(json.dumps([cell, result]) + "\n")
        print(f"{number + 1}/{len(grid)} {result} " + " ".join(f"{k}={v}" for k, v in cell.items()
              if k not in ("dataset", "device", "eval_share", "max_rows")), file=sys.stderr, flush=True)
    head = "| | cells | mean error | worst error | worst, bytes |"
    lines = [head + (" time, planned / measured (median) | range |" if a.time else ""),
             "|---|---|---|---|---|" + ("---|---|" if a.time else "")]
    report(lines, "all", [r for _, r in results])
    for key in ("model", "precision", "compute", "method", "gradient_checkpointing", "objective", "optimizer"):
        for value in sorted({cell[key] for cell, _ in results}):
            report(lines, f"{key} {value}", [r for cell, r in results if cell[key] == value])
table = "\n".join(lines) + "\n"
print(table)
if a.table:
    pathlib.Path(a.table).write_text(table)
sys.exit(any(r["share"] > 0.001 and abs(r["bytes"]) > 2**20 for _, r in results))
