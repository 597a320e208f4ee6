#!/usr/bin/env python3
"""Checks on a machine with an NVIDIA GPU; run by hand, in about two minutes.

Usage: check_cuda.py --cli PATH/tunebench-cli --model MODEL.gguf --data ROWS.json

Trains the same few steps on the CPU and on cuda:0 in fp32 (losses must agree to 1e-4), then on cuda:0 in fp16 and bf16
(within 2 %), with and without recompute (same loss, less memory), and against a memory limit (refused in words). Prints
one line a check and what doctor says; exit status 1 when a check fails.
"""
import argparse, json, subprocess, sys, tempfile

p = argparse.ArgumentParser()
p.add_argument("--cli", required=True)
p.add_argument("--model", required=True)
p.add_argument("--data", required=True)
a = p.parse_args()
failed = []


def check(name, good, detail):
    print(f"{'ok  ' if good else 'FAIL'} {name}: {detail}", flush=True)
    if not good:
        failed.append(name)


def train(runs, **options):
    common = {"model": a.model, "dataset": a.data, "max_rows": 32, "batch_size": 4, "accumulation_steps": 2,
              "order": "sequential", "eval_share": 0, "precision": "fp32", "compute": "fp32", **options}
    sets = [part for key, value in common.items() for part in ("--set", f"{key}={value}")]
    run = subprocess.run([a.cli, "train", "--json", "--runs", runs, *sets], capture_output=True, text=True)
    steps = [json.loads(line) for line in run.stdout.splitlines() if '"type":"step"' in line]
    return run.returncode, steps, run.stderr.strip()


def losses(steps):
    return [s["loss"] for s in steps]


def distance(steps, right):
    return max((abs(x - y) / y for x, y in zip(losses(steps), losses(right))), default=float("inf"))


print(subprocess.run([a.cli, "doctor"], capture_output=True, text=True).stdout)
with tempfile.TemporaryDirectory() as runs:
    _, cpu, error = train(runs, device="cpu")
    check("cpu fp32", len(cpu) == 4, error or losses(cpu))
    _, cuda, error = train(runs, device="cuda:0")
    check("cuda fp32 = cpu fp32", len(cuda) == 4 and distance(cuda, cpu) < 1e-4, error or losses(cuda))
    _, again, error = train(runs, device="cuda:0", gradient_checkpointing="full")
    check("recompute: same loss", len(again) == 4 and distance(again, cuda) < 1e-5, error or losses(again))
    if cuda and again:
        peaks = cuda[-1]["peak_allocated"], again[-1]["peak_allocated"]
        check("recompute: less memory", peaks[1] < peaks[0], peaks)
        for key in ("reserved", "device_used", "device_utilization", "power_watts", "temperature", "clock_mhz"):
            check(f"metrics: {key}", cuda[-1][key] is not None, cuda[-1][key])
    for kind in ("fp16", "bf16"):
        _, steps, error = train(runs, device="cuda:0", precision=kind, compute=kind)
        check(f"cuda {kind}", len(steps) == 4 and distance(steps, cpu) < 0.02, error or losses(steps))
    status, _, error = train(runs, device="cuda:0", memory_limit=400_000_000)
    check("memory_limit", status == 1 and "memory" in error.lower(), error)
sys.exit(1 if failed else 0)
