#!/usr/bin/env python3
"""What transformers, PEFT and TRL make of the demo model: the right values of its logits and of DPO on real pairs.

Usage: make_smollm2.py MODEL PAIRS FOLDER   (the demo model as a Hugging Face folder in fp32; dpo_en_demo.json; the
                                             folder that holds this script, in the repository)
Needs: pip install torch==2.11.0 transformers==5.24.0 peft==0.21.0 trl==1.16.0

Writes FOLDER/smollm2_logits.json: the tokens of a prompt, and of the logits at some positions the twenty largest and
every 499th; and FOLDER/smollm2_preference.json: which rows of the file were taken (the first short ones) and what four
AdamW steps of 2 pairs, from smollm2_adapter, make of them.
"""
import json, os, sys, tempfile
import torch
from datasets import Dataset
from peft import LoraConfig, load_peft_weights, set_peft_model_state_dict
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

MODEL, PAIRS, FOLDER = sys.argv[1:4]
PROMPT = "The capital of France is Paris, and 서울 is the capital of Korea.\n\ndef add(a, b):\n    return"
STEPS, ACCUMULATION, LONGEST = 4, 2, 240
tokenizer = AutoTokenizer.from_pretrained(MODEL)


def load():
    return AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32, attn_implementation="eager")


def logits():
    ids = tokenizer(PROMPT)["input_ids"]
    with torch.no_grad():
        rows = load()(torch.tensor([ids])).logits[0]
    positions = {}
    for at in (0, 1, len(ids) // 2, len(ids) - 1):
        chosen = sorted(set(rows[at].topk(20).indices.tolist()) | set(range(0, rows.shape[1], 499)))
        positions[at] = {"ids": chosen, "logits": [round(float(rows[at, i]), 7) for i in chosen]}
    return {"input_ids": ids, "positions": positions}


def short_pairs():
    role = {"human": "user", "gpt": "assistant", "system": "system"}
    turn = lambda t: {"role": role[t["from"]], "content": t["value"]}
    numbers, pairs = [], []
    for number, row in enumerate(json.load(open(PAIRS))):
        prompt = [turn(t) for t in row["conversations"]]
        sides = [[turn(row[key])] for key in ("chosen", "rejected")]
        if max(len(tokenizer.apply_chat_template(prompt + side, tokenize=True, return_dict=False)) for side in sides) <= LONGEST:
            numbers.append(number)
            pairs.append({"prompt": prompt, "chosen": sides[0], "rejected": sides[1]})
        if len(pairs) == STEPS * ACCUMULATION:
            return numbers, pairs
    raise SystemExit(f"Only {len(pairs)} pairs are short enough.")


def preference(loss, pairs):
    options = DPOConfig(output_dir=tempfile.mkdtemp(), loss_type=loss, beta=0.1, max_length=None, report_to=[],
                        per_device_train_batch_size=1, use_cpu=True, bf16=False, gradient_checkpointing=False)
    lora = LoraConfig(r=2, lora_alpha=4, lora_dropout=0.0, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    trainer = DPOTrainer(model=load(), args=options, processing_class=tokenizer, peft_config=lora,
                         train_dataset=Dataset.from_list(pairs))
    model = trainer.model
    set_peft_model_state_dict(model, load_peft_weights(os.path.join(FOLDER, "smollm2_adapter")))
    model.train()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3, weight_decay=0.0)
    rows, steps = list(trainer.train_dataset), []
    for step in range(STEPS):
        total = 0.0
        trainer._metrics["train"].clear()
        for part in range(ACCUMULATION):
            batch = trainer.data_collator([rows[step * ACCUMULATION + part]])
            value = trainer._compute_loss(model, batch, False) / ACCUMULATION
            value.backward()
            total += float(value.detach())
        norm = float(torch.nn.utils.clip_grad_norm_(trained, 1.0))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        mean = lambda key: sum(trainer._metrics["train"][key]) / ACCUMULATION
        steps.append({"loss": total, "grad_norm": norm, "margin": mean("rewards/margins"),
                      "accuracy": mean("rewards/accuracies")})
        print(loss, steps[-1], flush=True)
    return steps


with open(os.path.join(FOLDER, "smollm2_logits.json"), "w") as f:
    json.dump(logits(), f)
numbers, pairs = short_pairs()
result = {"rows": numbers, **{loss: preference(loss, pairs) for loss in ("sigmoid", "ipo")}}
with open(os.path.join(FOLDER, "smollm2_preference.json"), "w") as f:
    json.dump(result, f)
