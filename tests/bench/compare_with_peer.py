#!/usr/bin/env python3
"""Tunebench beside transformers + PEFT: the same rows, the same steps, one after the other in one run.

Usage: compare_with_peer.py --cli build/release/bin/tunebench-cli --gguf MODEL.gguf --folder MODEL_FOLDER --data ROWS.json
                            [--peer-python PYTHON] [--steps 4] [--repeat 3] [--batch 8]

MODEL.gguf and MODEL_FOLDER are the same model in both formats. PYTHON has torch, transformers, peft and psutil. For each
setting both programs train LoRA (all projections, rank 8) `repeat` times in turn; the table has medians. Tokens are real
tokens, padding not counted; the first step of a run is left out. Memory is the highest resident memory of the process.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile

p = argparse.ArgumentParser()
p.add_argument("--cli", required=True)
p.add_argument("--gguf", required=True)
p.add_argument("--folder", required=True)
p.add_argument("--data", required=True)
p.add_argument("--peer-python", default=sys.executable)
p.add_argument("--steps", type=int, default=4)
p.add_argument("--repeat", type=int, default=3)
p.add_argument("--batch", type=int, default=8)
a = p.parse_args()
TARGETS = "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_train.py")
SETTINGS = [(t, c) for t in ("fp32", "bf16") for c in (False, True)]


def peak_of(command, environment=None):
    """Standard output of a command, and the highest resident memory of its process, bytes."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{command[0]} failed with status {status}: {' '.join(command)}")
        out.seek(0)
        return out.read(), usage.ru_maxrss * 1024


def ours(kind, checkpointing, runs):
    options = {"model": a.gguf, "dataset": a.data, "max_rows": a.batch * a.steps, "batch_size": a.batch,
               "accumulation_steps": 1, "order": "sequential", "eval_share": 0, "scheduler": "constant",
               "warmup_ratio": 0, "precision": kind, "compute": kind, "device": "cpu",
               "gradient_checkpointing": "full" if checkpointing else "off"}
    sets = [part for key, value in options.items() for part in ("--set", f"{key}={value}")]
    out, resident = peak_of([a.cli, "train", "--json", "--runs", runs, *sets])
    steps = [json.loads(line) for line in out.splitlines() if '"type":"step"' in line]
    return summary(steps, resident, steps[-1]["peak_allocated"])


def peer(kind, checkpointing):
    command = [a.peer_python, PEER, "--model", a.folder, "--data", a.data, "--rows", str(a.batch * a.steps),
               "--batch", str(a.batch), "--steps", str(a.steps), "--precision", kind, "--targets", TARGETS]
    out, resident = peak_of(command + (["--checkpointing"] if checkpointing else []),
                            dict(os.environ, HF_HUB_OFFLINE="1"))
    return summary([json.loads(line) for line in out.splitlines() if '"step"' in line], resident, None)


def summary(steps, resident, allocated):
    counted = steps[1:]
    return {"speed": sum(s["tokens"] for s in counted) / sum(s["seconds"] for s in counted), "resident": resident,
            "allocated": allocated}


def median(results, key):
    return statistics.median(r[key] for r in results)


print("| weights and products | recompute | tokens/s | peer | ratio | peak memory (process) | peer | ratio | tensors alone |")
print("|---|---|---|---|---|---|---|---|---|")
for kind, checkpointing in SETTINGS:
    mine, theirs = [], []
    with tempfile.TemporaryDirectory() as runs:
        for _ in range(a.repeat):
            mine.append(ours(kind, checkpointing, runs))
            theirs.append(peer(kind, checkpointing))
    speed = median(mine, "speed"), median(theirs, "speed")
    memory = median(mine, "resident"), median(theirs, "resident")
    print(f"| {kind} | {'full' if checkpointing else 'off'} | {speed[0]:.0f} | {speed[1]:.0f} | {speed[0] / speed[1]:.1f}x "
          f"| {memory[0] / 2**20:.0f} MiB | {memory[1] / 2**20:.0f} MiB | {memory[0] / memory[1]:.2f} "
          f"| {median(mine, 'allocated') / 2**20:.0f} MiB |", flush=True)
