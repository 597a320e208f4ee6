#!/usr/bin/env python3
"""The classic lesson of a 4 GB card: numbers of two bytes and gradient checkpointing make room for a batch that fp32 has none for.

Usage: memory_lesson.py --cli build/release/bin/tunebench-cli [--card "GTX 1650"] [--device cpu] [--type fp16]
                        [--shapes resources/model_shapes.json] [--steps 1]

Needs torch and safetensors. A model of Qwen2.5-0.5B's shape is made of random weights, and rows of 256 tokens that are
all learnt. LoRA on all projections, 8 rows at once, on any device that is held to the card's memory: planned, then
trained. Prints a Markdown table; the exit status is 1 unless fp32 is refused, as the plan says, and the others fit.

The published figures beside it are those of an ordinary trainer on a GTX 1650, of rows whose length is not told, so
they are no comparison, but the lesson is the same.
"""
import argparse, json, pathlib, random, sys, tempfile

from call_cli import call, must

p = argparse.ArgumentParser()
p.add_argument("--cli", required=True)
p.add_argument("--card", default="GTX 1650")
p.add_argument("--device", default="cpu")
p.add_argument("--type", default="fp16", choices=("fp16", "bf16"))
p.add_argument("--shapes", default=pathlib.Path(__file__).parents[2] / "resources/model_shapes.json")
p.add_argument("--steps", type=int, default=1)
a = p.parse_args()

ROWS, TOKENS = 8, 256
PUBLISHED = ["5,231 MB", "2,910 MB", "2,385 MB, 1.5 times the time"]


def make_model(folder):
    import torch
    from safetensors.torch import save_file
    shape = next(s["config"] for s in json.loads(pathlib.Path(a.shapes).read_text()) if s["name"] == "Qwen2.5-0.5B")
    (folder / "config.json").write_text(json.dumps(shape))
    hidden, wide = shape["hidden_size"], shape["intermediate_size"]
    heads, groups = shape["num_attention_heads"], shape["num_key_value_heads"]
    size = hidden // heads
    generator = torch.Generator().manual_seed(1)

    def weight(*sizes):
        return (torch.randn(sizes, generator=generator) * 0.02).half()

    tensors = {"model.embed_tokens.weight": weight(shape["vocab_size"], hidden),
               "model.norm.weight": torch.ones(hidden).half()}
    for layer in range(shape["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        for name, out in (("q", heads * size), ("k", groups * size), ("v", groups * size)):
            tensors[at + f"self_attn.{name}_proj.weight"] = weight(out, hidden)
            tensors[at + f"self_attn.{name}_proj.bias"] = torch.zeros(out).half()
        tensors[at + "self_attn.o_proj.weight"] = weight(hidden, heads * size)
        for name, sizes in (("gate", (wide, hidden)), ("up", (wide, hidden)), ("down", (hidden, wide))):
            tensors[at + f"mlp.{name}_proj.weight"] = weight(*sizes)
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[at + f"{name}.weight"] = torch.ones(hidden).half()
    save_file(tensors, str(folder / "model.safetensors"), metadata={"format": "pt"})


def make_rows(path):
    draw = random.Random(1)
    with open(path, "w") as file:
        for _ in range(ROWS * a.steps):
            ids = [draw.randrange(150000) for _ in range(TOKENS)]
            file.write(json.dumps({"input_ids": ids, "labels": ids}) + "\n")


def lesson(folder, number, options):
    common = {"model": folder, "dataset": folder / "rows.jsonl", "dataset_format": "tokens", "max_length": TOKENS,
              "batch_size": ROWS, "accumulation_steps": 1, "eval_share": 0, "max_steps": a.steps, "card": a.card,
              "device": a.device, "method": "lora"}
    (plan,) = must(a.cli, "plan", {**common, **options})
    lines, problem = call(a.cli, "train", {**common, **options}, "--runs", str(folder / "runs"), "--name", f"run{number}")
    steps = [line for line in lines if line.get("type") == "step"]
    text = ", ".join(f"{key} {value}" for key, value in options.items())
    measured = max((step["peak_allocated"] for step in steps), default=None)
    seconds = f"{steps[-1]['seconds']:.1f} s" if steps else "–"
    outcome = f"{measured / 2**20:,.0f} MiB" if measured else "refused: " + problem.strip().split(". ")[0]
    print(f"| {text} | {plan['peak_allocated'] / 2**20:,.0f} MiB, {'fits' if plan['fits'] else 'too big'} | {outcome} "
          f"| {seconds} | {PUBLISHED[number]} |", flush=True)
    return plan["fits"] == bool(steps), bool(steps), measured == plan["peak_allocated"] or not steps


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    make_model(folder)
    make_rows(folder / "rows.jsonl")
    print(f"| options ({a.card}, {a.device}) | planned | measured | a step | published elsewhere |\n|---|---|---|---|---|")
    two_bytes = {"precision": a.type, "compute": a.type}
    results = [lesson(folder, 0, {"precision": "fp32", "compute": "fp32"}), lesson(folder, 1, two_bytes),
               lesson(folder, 2, {**two_bytes, "gradient_checkpointing": "full"})]
agree = all(same for same, _, _ in results)
exact = all(equal for _, _, equal in results)
print(f"\nPlan and run agree about what fits: {agree}; planned bytes are measured bytes: {exact}.")
sys.exit(not (agree and [fits for _, fits, _ in results] == [False, True, True]))
