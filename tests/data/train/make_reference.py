#!/usr/bin/env python3
"""Small random models and what transformers + PEFT make of them: the right values of the training tests.

Usage: make_reference.py OUT_FOLDER [FAMILY...]   (the folder that holds this script, in the repository)
Needs: pip install torch==2.11.0 transformers==5.24.0 peft==0.21.0 bitsandbytes==0.50.0

For each family OUT gets FAMILY/ (config.json, model.safetensors), FAMILY_adapter/ (as PEFT saves it) and
FAMILY_reference.json: the token rows, and per method the loss, gradient norm and counts of each optimizer step, the
norm of each trained tensor's gradient in the first step, and the norm of each trained tensor after the last; and the
tokens that the base and the adapter go on with after some prompts, the likeliest each time, with every twelfth logit of
the last one. The kinds of adapters in ADAPTERS get FAMILY_KIND_adapter/ and a method of their own in the reference. The
methods nf4 and nf4_dora train the adapters on projections that bitsandbytes holds in 4 bits; what else is frozen is
rounded to bf16.
"""
import json, os, random, sys
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (AutoModelForCausalLM, Gemma2Config, Gemma2ForCausalLM, Gemma3ForCausalLM, Gemma3TextConfig,
                          GemmaConfig, GemmaForCausalLM, LlamaConfig, LlamaForCausalLM, MistralConfig,
                          MistralForCausalLM, Phi3Config, Phi3ForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config,
                          Qwen3ForCausalLM)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from nf4_weights import pack, unpack

OUT = sys.argv[1]
BATCH, ACCUMULATION, STEPS = 4, 2, 4

common = dict(vocab_size=96, hidden_size=32, intermediate_size=56, num_hidden_layers=3, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=256, torch_dtype="float32")
two_layers = {**common, "num_hidden_layers": 2}
FAMILIES = {
    "llama": (LlamaForCausalLM, LlamaConfig(**common, tie_word_embeddings=True, rms_norm_eps=1e-5, rope_parameters={
        "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 64})),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**common, tie_word_embeddings=False, rms_norm_eps=1e-6,
                                            rope_parameters={"rope_type": "default", "rope_theta": 10000.0})),
    "mistral": (MistralForCausalLM, MistralConfig(**common, tie_word_embeddings=False, head_dim=12, sliding_window=128,
                                                  rms_norm_eps=1e-5)),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config(**common, tie_word_embeddings=True, head_dim=16, rms_norm_eps=1e-6,
                                            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0})),
    # From here on rows are longer than windows and original contexts, and weights so large that caps bend scores.
    "mistral_window": (MistralForCausalLM, MistralConfig(**two_layers, tie_word_embeddings=False, sliding_window=7,
                                                         rms_norm_eps=1e-5)),
    "qwen2_window": (Qwen2ForCausalLM, Qwen2Config(
        **two_layers, tie_word_embeddings=True, use_sliding_window=True, sliding_window=9, max_window_layers=1,
        rope_parameters={"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                         "original_max_position_embeddings": 24})),
    "gemma": (GemmaForCausalLM, GemmaConfig(**{**two_layers, "num_key_value_heads": 1}, head_dim=16)),
    "gemma2": (Gemma2ForCausalLM, Gemma2Config(**two_layers, head_dim=12, query_pre_attn_scalar=10, sliding_window=6,
                                               attn_logit_softcapping=1.5, final_logit_softcapping=2.0)),
    "gemma3_text": (Gemma3ForCausalLM, Gemma3TextConfig(
        **common, head_dim=16, query_pre_attn_scalar=20, sliding_window=8,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
        rope_parameters={"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                         "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})),
    "phi3": (Phi3ForCausalLM, Phi3Config(
        **two_layers, pad_token_id=0, eos_token_id=1, sliding_window=25, original_max_position_embeddings=36,
        rope_parameters={"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": [1.0, 1.1, 1.2, 1.5],
                         "long_factor": [1.1, 1.9, 3.0, 4.5]})),
    "phi4": (Phi3ForCausalLM, Phi3Config(
        **two_layers, pad_token_id=0, eos_token_id=1, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.75})),
}
SMALL_WEIGHTS = ("llama", "qwen2", "mistral", "qwen3")

ADAPTERS = {
    "llama": {"dora": {"use_dora": True, "use_rslora": True}, "whole": {"modules_to_save": ["embed_tokens", "norm"]}},
    "qwen2": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["embed_tokens", "lm_head", "layers.0.self_attn.k_proj",
                                                                       "layers.1.mlp"]}},
    "mistral": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["lm_head", "layers.2.self_attn.o_proj"]}},
    "qwen3": {"dora": {"use_dora": True, "use_rslora": True},
              "whole": {"modules_to_save": ["embed_tokens", "norm", "layers.0.self_attn.q_norm"]}},
    "gemma": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["embed_tokens", "layers.0.input_layernorm"]}},
    "gemma2": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["embed_tokens", "norm", "layers.1.mlp"]}},
    "gemma3_text": {"dora": {"use_dora": True, "use_rslora": True},
                    "whole": {"modules_to_save": ["embed_tokens", "layers.1.self_attn.k_norm", "layers.2.mlp"]}},
    "phi3": {"dora": {"use_dora": True, "use_rslora": True},
             "whole": {"modules_to_save": ["lm_head", "layers.0.self_attn.qkv_proj", "layers.1.mlp.gate_up_proj"]}},
    "mistral_window": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["norm", "layers.1.self_attn.v_proj"]}},
    "qwen2_window": {"dora": {"use_dora": True, "use_rslora": True},
                     "whole": {"modules_to_save": ["embed_tokens", "layers.0.mlp"]}},
    "phi4": {"dora": {"use_dora": True}, "whole": {"modules_to_save": ["embed_tokens", "layers.1.self_attn.o_proj"]}},
}


def rows(seed, count=24):
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        n = rng.randint(5, 40)
        ids = [rng.randrange(96) for _ in range(n)]
        prompt = rng.randint(1, n - 2)
        out.append({"input_ids": ids, "labels": [-100] * prompt + ids[prompt:]})
    return out


def batch(rows):
    n = max(len(r["input_ids"]) for r in rows)
    pad = lambda r, key, value: r[key] + [value] * (n - len(r[key]))
    return (torch.tensor([pad(r, "input_ids", 0) for r in rows]), torch.tensor([pad(r, "labels", -100) for r in rows]),
            torch.tensor([[1] * len(r["input_ids"]) + [0] * (n - len(r["input_ids"])) for r in rows]))


def name_of(parameter):
    return parameter.removeprefix("base_model.model.").replace(".modules_to_save.default.", ".").replace(
        ".default.", ".").removesuffix(".weight" if "lora_magnitude" in parameter else "")


def train(model, data):
    model.train()
    named = {name_of(n): p for n, p in model.named_parameters() if p.requires_grad}
    params = list(named.values())
    optimizer = torch.optim.AdamW(params, lr=1e-3, weight_decay=0.0)
    steps, first = [], None
    for step in range(STEPS):
        group = [data[(step * ACCUMULATION + i) * BATCH:][:BATCH] for i in range(ACCUMULATION)]
        micro = [batch(r if r else data[:BATCH]) for r in group]
        count = sum(int((labels[:, 1:] != -100).sum()) for _, labels, _ in micro)
        loss = 0.0
        for ids, labels, mask in micro:
            part = model(input_ids=ids, attention_mask=mask, labels=labels, num_items_in_batch=count).loss
            part.backward()
            loss += float(part.detach())
        if first is None:
            first = {n: float(p.grad.norm()) for n, p in named.items()}
        norm = float(torch.nn.utils.clip_grad_norm_(params, 1.0))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        steps.append({"loss": loss, "grad_norm": norm, "supervised_tokens": count,
                      "tokens": sum(int(m.sum()) for _, _, m in micro)})
    return {"steps": steps, "first_gradient_norms": first, "final_norms": {n: float(p.norm()) for n, p in named.items()}}


def answer(model, prompt):
    ids = torch.tensor([prompt])
    said = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=24,
                          eos_token_id=None, pad_token_id=0, return_dict_in_generate=True, output_logits=True)
    return {"prompt": prompt, "answer": said.sequences[0, len(prompt):].tolist(),
            "last_logits": said.logits[-1][0, ::12].tolist()}


def answers(model, data):
    """Prompts of several lengths: within and beyond windows and original contexts, and across them while answering."""
    model.eval()
    tokens = [i for r in data for i in r["input_ids"]]
    with torch.no_grad():
        return [answer(model, p) for p in (tokens[:1], tokens[3:8], tokens[10:43], tokens[50:110])]


def save_adapter(model, folder, **options):
    """An adapter that is not the identity, as PEFT saves it."""
    lora = get_peft_model(AutoModelForCausalLM.from_pretrained(model), LoraConfig(
        r=4, lora_alpha=8, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM", **options))
    with torch.no_grad():
        for n, p in lora.named_parameters():
            if "lora_B" in n:
                p.normal_(0, 0.05)
            elif "modules_to_save" in n:
                p.add_(torch.randn_like(p) * 0.02)
    lora.peft_config["default"].base_model_name_or_path = os.path.basename(model)
    lora.save_pretrained(folder)
    os.path.exists(os.path.join(folder, "README.md")) and os.remove(os.path.join(folder, "README.md"))
    return folder


def in_four_bits(model):
    """With the numbers that are left when bitsandbytes has packed the projections, and bf16 has rounded the rest."""
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p.to(torch.bfloat16) if p.dim() == 1 else p)
        for module in (model.get_input_embeddings(), model.get_output_embeddings()):
            module.weight.copy_(module.weight.to(torch.bfloat16))
        for module in model.model.layers.modules():
            if isinstance(module, torch.nn.Linear):
                module.weight.copy_(unpack(*pack(module.weight), module.weight.shape))
    return model


for family in sys.argv[2:] or FAMILIES:
    kind, config = FAMILIES[family]
    torch.manual_seed(7)
    folder = os.path.join(OUT, family)
    model = kind(config)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * (0.08 if family in SMALL_WEIGHTS else 0.25))
    model.save_pretrained(folder)
    adapter = save_adapter(folder, os.path.join(OUT, family + "_adapter"))
    data = rows(11, BATCH * ACCUMULATION * STEPS)
    # sdpa has no soft caps
    base = lambda: AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    out = {"rows": data,
           "lora": train(PeftModel.from_pretrained(base(), adapter, is_trainable=True), data),
           "full": train(base(), data)}
    for kind, options in ADAPTERS.get(family, {}).items():
        special = save_adapter(folder, os.path.join(OUT, f"{family}_{kind}_adapter"), **options)
        out[kind] = train(PeftModel.from_pretrained(base(), special, is_trainable=True), data)
    out["nf4"] = train(PeftModel.from_pretrained(in_four_bits(base()), adapter, is_trainable=True), data)
    if "dora" in out:
        special = os.path.join(OUT, family + "_dora_adapter")
        out["nf4_dora"] = train(PeftModel.from_pretrained(in_four_bits(base()), special, is_trainable=True), data)
    out["answers"] = {"base": answers(base(), data), "lora": answers(PeftModel.from_pretrained(base(), adapter), data)}
    with open(os.path.join(OUT, family + "_reference.json"), "w") as f:
        json.dump(out, f)
    print(family, [s["loss"] for s in out["lora"]["steps"]], [s["loss"] for s in out["full"]["steps"]])
