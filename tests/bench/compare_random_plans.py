#!/usr/bin/env python3
"""Planned beside measured memory for random options and random models of every family.

Usage: compare_random_plans.py --cli build/release/bin/tunebench-cli --tokenizer SMOLLM2_FOLDER --rows FILE...
                               --pairs PAIRS.json [--first 1] [--count 100]

The grid of compare_plans.py crosses few options with one another; here each case, which its number decides, takes a
value for nearly every option, and a model of a random shape with random weights. Needs torch and transformers. A case
is planned and trained. Both must refuse it, or else the plan must be the measured peak, evaluations included, to 0.1 %
or 1 MiB. Prints the cases that break that, those that were refused and why, and how many were equal to the byte; the
exit status is 1 where one broke it.
"""
import argparse, json, os, pathlib, random, sys, tempfile

from call_cli import call
from random_model import save_random_model

FAMILIES = ("llama", "qwen2", "qwen3", "mistral", "gemma", "gemma2", "gemma3_text", "phi3")

p = argparse.ArgumentParser()
for name in ("cli", "tokenizer", "pairs"):
    p.add_argument(f"--{name}", required=True)
p.add_argument("--rows", nargs="+", required=True)
p.add_argument("--first", type=int, default=1)
p.add_argument("--count", type=int, default=100)
a = p.parse_args()


def random_model(r, number, folder):
    family = r.choice(FAMILIES)
    heads, head = r.choice((2, 4, 6, 8)), r.choice((16, 32, 64, 80))
    shape = {"hidden_size": heads * head, "num_attention_heads": heads, "num_hidden_layers": r.choice((2, 3, 5, 8)),
             "num_key_value_heads": r.choice([n for n in (1, 2, heads) if heads % n == 0]),
             "intermediate_size": r.choice((96, 160, 256, 512, 1000)), "vocab_size": r.choice((49152, 49280, 50001)),
             "max_position_embeddings": r.choice((1024, 4096)), "tie_word_embeddings": r.random() < 0.5}
    if family not in ("qwen2", "phi3"):  # whose heads are as wide as the hidden state says
        shape |= {"head_dim": head, "hidden_size": heads * r.choice((16, 24, 32, head))}
    if family in ("gemma2", "gemma3_text"):
        shape["sliding_window"] = r.choice((32, 64, 128))
    if family == "mistral":
        shape["sliding_window"] = r.choice((None, 40, 100))
    if family == "phi3":
        shape["pad_token_id"] = 0
    save_random_model(folder, family, shape, number, a.tokenizer, r.choice(("float32", "bfloat16")))
    return family


def sometimes(r, share, options):
    return options if r.random() < share else {}


def lora_options(r, family, pairs):
    attention, mlp = (("qkv_proj", "gate_up_proj") if family == "phi3" else ("q_proj,v_proj", "gate_proj"))
    return {"lora_rank": r.choice((1, 4, 7, 16, 64)), "lora_alpha": r.choice((8, 32)),
            "lora_targets": r.choice(("all-linear", attention, "o_proj", mlp, "down_proj," + attention)),
            "precision": r.choice(("auto", "fp32", "fp16", "bf16", "nf4")),
            **sometimes(r, 0.3, {"lora_dropout": 0.1}), **sometimes(r, 0.3, {"use_dora": "true"}),
            **sometimes(r, 0.3, {"use_rslora": "true"}),
            **sometimes(r, 0 if pairs else 0.3,
                        {"modules_to_save": r.choice(("embed_tokens", "lm_head", "norm", "embed_tokens,lm_head"))})}


def batch_options(r):
    return {"max_length": r.choice((64, 100, 333, 700)), "truncation": r.choice(("right", "right", "left", "drop")),
            "order": r.choice(("shuffle", "sequential", "length_grouped")),
            "padding": r.choice(("none", "none", "longest", "max_length")), "padding_side": r.choice(("right", "left")),
            "loss_normalization": r.choice(("tokens", "micro_batch_mean")), "seed": r.randrange(1000),
            **r.choice(({"effective_batch": r.choice((4, 6, 8))},
                        {"batch_size": r.choice((1, 2, 3, 5, 8)), "accumulation_steps": r.choice((1, 2, 3))},
                        {"batch_size": r.choice((1, 2, 3, 5, 8)), "accumulation_steps": r.choice((1, 2, 3))})),
            **sometimes(r, 0.2, {"eval_batch_size": r.choice((1, 16))})}


def rows_for_evaluation(r, rows, folder):
    """A file with some of the rows."""
    text = pathlib.Path(rows).read_text()
    all_rows = json.loads(text) if rows.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    file = os.path.join(folder, "evaluation.json")
    pathlib.Path(file).write_text(json.dumps(r.sample(all_rows, 12)))
    return {"eval_dataset": file}


def random_options(r, family, folder):
    pairs = r.random() < 0.25
    full = not pairs and r.random() < 0.35
    method = {"method": "full", "precision": r.choice(("auto", "fp32"))} if full else lora_options(r, family, pairs)
    objective = {"objective": "dpo", "dpo_loss": r.choice(("sigmoid", "ipo")), "dataset": a.pairs} if pairs else \
        {"dataset": r.choice(a.rows), "loss_on": r.choice(("assistant", "all")), **sometimes(r, 0.3, {"packing": "true"})}
    length = r.choice(({"max_rows": 20}, {"max_rows": 60, "max_steps": r.choice((1, 2, 3))}))
    return {**objective, **method, **batch_options(r), **length, "device": "cpu",
            "compute": r.choice(("auto", "fp32", "fp16", "bf16")), "eval_share": r.choice((0, 0, 0.1, 0.3)),
            "gradient_checkpointing": r.choice(("off", "full", "selective", "offload")),
            "checkpoint_every_layers": r.choice((1, 1, 2, 3)),
            "optimizer": r.choice(("adamw", "adamw_8bit", "sgd", "lion", "adafactor")),
            "weight_decay": r.choice((0, 0.1)), "max_grad_norm": r.choice((0, 1)),
            "eval_every": r.choice((0, 1)), "save_every": r.choice((0, 1)),
            **sometimes(r, 0.4, {"momentum": 0.9}), **sometimes(r, 0.2, {"courtesy": "low"}),
            **sometimes(r, 0.15, {"eval_prompts": '["Say hello.", "What is two and two?"]'}),
            **sometimes(r, 0.3, rows_for_evaluation(r, objective["dataset"], folder))}


def compare(options, runs):
    """"equal", "near", "refused" or what is wrong, and in words why."""
    plans, no_plan = call(a.cli, "plan", options)
    lines, no_run = call(a.cli, "train", options, "--runs", runs)
    if no_plan or no_run:
        reasons = f"plan: {(no_plan or 'planned').strip()} train: {(no_run or 'trained').strip()}"
        return ("refused" if no_plan and no_run else "refused by one alone"), reasons
    planned = plans[0]["peak_allocated"]
    measured = max(line.get("peak_allocated", 0) for line in lines)  # the run's own is there with the steps'
    figures = f"planned {planned}, measured {measured}"
    if abs(planned - measured) > max(0.001 * measured, 2**20):
        return "wrong", figures
    return ("equal" if planned == measured else "near"), figures


counts = {}
for number in range(a.first, a.first + a.count):
    r = random.Random(number)
    with tempfile.TemporaryDirectory() as folder:
        family = random_model(r, number, os.path.join(folder, "model"))
        options = {"model": os.path.join(folder, "model"), **random_options(r, family, folder)}
        outcome, why = compare(options, os.path.join(folder, "runs"))
    counts[outcome] = counts.get(outcome, 0) + 1
    if outcome != "equal":
        shown = {key: value for key, value in options.items() if key not in ("model", "device")}
        print(f"case {number}, {family}: {outcome}; {why}\n  {shown}", flush=True)
print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
sys.exit(any(outcome in counts for outcome in ("wrong", "refused by one alone")))
