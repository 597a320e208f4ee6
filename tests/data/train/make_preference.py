#!/usr/bin/env python3
"""What TRL makes of preference pairs with the small llama of make_reference.py: the right values of the DPO tests.

Usage: make_preference.py FOLDER   (the folder that holds this script, in the repository)
Needs: pip install torch==2.11.0 transformers==5.24.0 peft==0.21.0 trl==1.16.0

Writes FOLDER/preference_reference.json: the pairs as tokens (the answer's tokens supervised), and for each loss the
loss, gradient norm, rewards, margin and accuracy of four AdamW steps of 2 x 3 pairs from llama_adapter, with the model
without its adapter as the reference.
"""
import json, os, random, sys, tempfile
import torch
from datasets import Dataset
from peft import LoraConfig, load_peft_weights, set_peft_model_state_dict
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer

FOLDER = sys.argv[1]
BATCH, ACCUMULATION, STEPS = 3, 2, 4


def tokenizer():
    words = Tokenizer(models.WordLevel({f"t{i}": i for i in range(94)} | {"<pad>": 94, "<eos>": 95}, unk_token="t0"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")


def pairs(count, seed=23):
    rng = random.Random(seed)
    text = lambda low, high: " ".join(f"t{rng.randrange(94)}" for _ in range(rng.randint(low, high)))
    return [{"prompt": text(2, 15), "chosen": " " + text(2, 20), "rejected": " " + text(2, 20)} for _ in range(count)]


def run(loss):
    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_pretrained(os.path.join(FOLDER, "llama"), dtype=torch.float32)
    options = DPOConfig(output_dir=tempfile.mkdtemp(), loss_type=loss, beta=0.1, max_length=None, report_to=[],
                        per_device_train_batch_size=BATCH, use_cpu=True, bf16=False, gradient_checkpointing=False)
    lora = LoraConfig(r=4, lora_alpha=8, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = DPOTrainer(model=model, args=options, processing_class=tokenizer(), peft_config=lora,
                         train_dataset=Dataset.from_list(pairs(BATCH * ACCUMULATION * STEPS)))
    model = trainer.model
    set_peft_model_state_dict(model, load_peft_weights(os.path.join(FOLDER, "llama_adapter")))
    model.train()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-2, weight_decay=0.0)
    rows, steps = list(trainer.train_dataset), []
    for step in range(STEPS):
        total = 0.0
        trainer._metrics["train"].clear()
        for part in range(ACCUMULATION):
            at = (step * ACCUMULATION + part) * BATCH
            batch = trainer.data_collator(rows[at:at + BATCH])
            value = trainer._compute_loss(model, batch, False) / ACCUMULATION
            value.backward()
            total += float(value.detach())
        norm = float(torch.nn.utils.clip_grad_norm_(trained, 1.0))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        mean = lambda key: sum(trainer._metrics["train"][key]) / ACCUMULATION
        steps.append({"loss": total, "grad_norm": norm, "rewards_chosen": mean("rewards/chosen"),
                      "rewards_rejected": mean("rewards/rejected"), "margin": mean("rewards/margins"),
                      "accuracy": mean("rewards/accuracies")})
    side = lambda r, key: {"input_ids": r["prompt_ids"] + r[key],
                           "labels": [-100] * len(r["prompt_ids"]) + r[key]}
    return steps, [{"chosen": side(r, "chosen_ids"), "rejected": side(r, "rejected_ids")} for r in rows]


result = {"batch": BATCH, "accumulation": ACCUMULATION, "learning_rate": 1e-2}
for loss in ("sigmoid", "ipo"):
    result[loss], result["pairs"] = run(loss)
    print(loss, result[loss])
with open(os.path.join(FOLDER, "preference_reference.json"), "w") as f:
    json.dump(result, f)
