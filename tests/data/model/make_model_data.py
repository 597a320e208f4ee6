#!/usr/bin/env python3
"""Make the small models, adapters and right values that the tests of core/model read.

Usage: make_model_data.py OUT_FOLDER
Needs: pip install torch transformers peft safetensors gguf bitsandbytes. Nothing is fetched at run time.

Made with torch 2.11.0, transformers 5.24.0, peft 0.21.0, safetensors 0.8.0, gguf 0.19.0, bitsandbytes 0.50.0.
"""
import hashlib, json, math, os, sys

import gguf
import numpy as np
import peft
import torch
from safetensors.torch import load_file, save_file
from transformers import (AutoConfig, AutoModelForCausalLM, Gemma2Config, Gemma2ForCausalLM, Gemma3Config,
                          Gemma3ForCausalLM, Gemma3ForConditionalGeneration, Gemma3TextConfig, GemmaConfig, GemmaForCausalLM,
                          LlamaConfig, LlamaForCausalLM, Phi3Config, Phi3ForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM)

out = sys.argv[1]
SIZES = dict(vocab_size=40, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=4096)
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 512}


def at(*parts):
    return os.path.join(out, *parts)


def randomised(model):
    """Norms and biases are ones and zeros in a fresh model; a reader that mixes them up must not pass."""
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn_like(p) * 0.2)
    return model


# Folders: one file, fp32, tied; and shards, bf16, biases, a head of its own.
torch.manual_seed(0)
llama = randomised(LlamaForCausalLM(LlamaConfig(**SIZES, tie_word_embeddings=True, rope_parameters=LLAMA3)))
llama.save_pretrained(at("llama"))
qwen = randomised(Qwen2ForCausalLM(Qwen2Config(**SIZES, tie_word_embeddings=False))).to(torch.bfloat16)
qwen.save_pretrained(at("qwen2"), max_shard_size="12KB")

# The same as GGUF, as llama.cpp's convert_hf_to_gguf.py names, reorders and describes them.
NAMES = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output", "input_layernorm": "attn_norm",
         "q_norm": "attn_q_norm", "k_norm": "attn_k_norm", "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
         "post_attention_layernorm": "ffn_norm", "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
         "qkv_proj": "attn_qkv", "gate_up_proj": "ffn_up"}
OUTPUT_NORM_NAMES = {"pre_feedforward_layernorm": "ffn_norm", "post_attention_layernorm": "post_attention_norm",
                     "post_feedforward_layernorm": "post_ffw_norm"}


def permute(weights, heads):  # LlamaModel.permute
    return weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def rope_factors(rope, head_dim):  # LlamaModel.generate_extra_tensors
    freqs = 1.0 / (rope["rope_theta"] ** (torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim))
    low_wavelen = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high_wavelen = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    factors = []
    for freq in freqs:
        wavelen = 2 * math.pi / freq
        if wavelen < high_wavelen:
            factors.append(1)
        elif wavelen > low_wavelen:
            factors.append(rope["factor"])
        else:
            smooth = (rope["original_max_position_embeddings"] / wavelen - rope["low_freq_factor"]) / (
                rope["high_freq_factor"] - rope["low_freq_factor"])
            factors.append(1 / ((1 - smooth) / rope["factor"] + smooth))
    return np.array(factors, dtype=np.float32)


def add_arch_keys(w, c, arch):
    """What the set_gguf_parameters of GemmaModel, Gemma2Model, Gemma3Model, Phi3MiniModel and the base class write."""
    rope = c.rope_parameters.get("full_attention", c.rope_parameters)
    if arch not in ("gemma", "gemma2"):
        w.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] in ("linear", "yarn"):
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR if rope["rope_type"] == "linear" else gguf.RopeScalingType.YARN)
        w.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "yarn":
        w.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if arch == "gemma2":
        w.add_attn_logit_softcapping(c.attn_logit_softcapping)
    if arch in ("gemma2", "gemma3") and c.final_logit_softcapping:
        w.add_final_logit_softcapping(c.final_logit_softcapping)
    if arch in ("gemma2", "gemma3"):
        w.add_sliding_window(c.sliding_window)
    if arch == "gemma3":
        w.add_rope_freq_base_swa(c.rope_parameters["sliding_attention"]["rope_theta"])
    if arch == "phi3":
        original = rope["original_max_position_embeddings"]
        w.add_rope_scaling_orig_ctx_len(original)
        w.add_rope_dimension_count(int(rope["partial_rotary_factor"] * c.hidden_size) // c.num_attention_heads)
        w.add_sliding_window(c.sliding_window or 0)
        w.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(c.max_position_embeddings / original) / math.log(original)))
        w.add_tensor("rope_factors_long.weight", np.array(rope["long_factor"], dtype=np.float32))
        w.add_tensor("rope_factors_short.weight", np.array(rope["short_factor"], dtype=np.float32))


def write_gguf(path, model, arch, matrix_type):
    c = model.config
    w = gguf.GGUFWriter(path, arch)
    w.add_name("Tiny")
    w.add_block_count(c.num_hidden_layers)
    w.add_context_length(c.max_position_embeddings)
    w.add_embedding_length(c.hidden_size)
    w.add_feed_forward_length(c.intermediate_size)
    w.add_head_count(c.num_attention_heads)
    w.add_head_count_kv(c.num_key_value_heads)
    w.add_layer_norm_rms_eps(c.rms_norm_eps)
    if arch == "qwen3" or arch.startswith("gemma"):
        w.add_key_length(c.head_dim)
        w.add_value_length(c.head_dim)
    add_arch_keys(w, c, arch)
    w.add_tokenizer_model("gpt2")
    w.add_token_list(["t%d" % i for i in range(c.vocab_size)])
    w.add_token_types([1] * c.vocab_size)
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    if c.pad_token_id is not None:
        w.add_pad_token_id(c.pad_token_id)
    w.add_array("test.numbers", [0.5, 1.5])
    w.add_bool("test.flag", True)
    if c.rope_parameters.get("rope_type") == "llama3":
        w.add_tensor("rope_freqs.weight", rope_factors(c.rope_parameters, c.hidden_size // c.num_attention_heads))
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and c.tie_word_embeddings:
            continue
        parts = name.split(".")
        names = {**NAMES, **OUTPUT_NORM_NAMES} if arch in ("gemma2", "gemma3") else NAMES
        target = names[parts[-2]] + "." + parts[-1]
        if "layers" in parts:
            target = "blk." + parts[parts.index("layers") + 1] + "." + target
        data = tensor.to(torch.float32).numpy()
        if arch.startswith("gemma") and name.endswith("norm.weight"):  # Gemma*Model.modify_tensors
            data = data + 1
        if arch == "llama" and parts[-2] == "q_proj":
            data = permute(data, c.num_attention_heads)
        if arch == "llama" and parts[-2] == "k_proj":
            data = permute(data, c.num_key_value_heads)
        kind = matrix_type if data.ndim == 2 else gguf.GGMLQuantizationType.F32
        w.add_tensor(target, gguf.quants.quantize(np.ascontiguousarray(data), kind), raw_dtype=kind)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


write_gguf(at("llama.gguf"), llama, "llama", gguf.GGMLQuantizationType.F32)
write_gguf(at("qwen2.gguf"), qwen, "qwen2", gguf.GGMLQuantizationType.BF16)

# Norms of q and k, heads of their own size.
torch.manual_seed(0)
qwen3 = randomised(Qwen3ForCausalLM(Qwen3Config(**SIZES, tie_word_embeddings=True, head_dim=16)))
qwen3.save_pretrained(at("qwen3"))
write_gguf(at("qwen3.gguf"), qwen3, "qwen3", gguf.GGMLQuantizationType.F32)

# Norms of 1 + weight, soft caps, windows by pattern, two ropes; fused projections and longrope; yarn.
MORE = {
    "gemma": (GemmaForCausalLM, GemmaConfig(**SIZES, head_dim=16), "gemma"),
    "gemma2": (Gemma2ForCausalLM, Gemma2Config(**{**SIZES, "num_hidden_layers": 2}, head_dim=16, query_pre_attn_scalar=16,
                                               sliding_window=256), "gemma2"),
    "gemma3": (Gemma3ForCausalLM, Gemma3TextConfig(
        **{**SIZES, "num_hidden_layers": 6, "intermediate_size": 32}, head_dim=8, query_pre_attn_scalar=8, sliding_window=512, rope_parameters={
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}), "gemma3"),
    "phi3": (Phi3ForCausalLM, Phi3Config(
        **SIZES, pad_token_id=0, eos_token_id=1, sliding_window=2048, original_max_position_embeddings=1024,
        rope_parameters={"rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": 0.75,
                         "short_factor": [1.0, 1.25, 1.5], "long_factor": [1.125, 1.875, 3.0]}), "phi3"),
    "yarn": (Qwen2ForCausalLM, Qwen2Config(**SIZES, tie_word_embeddings=True, rope_parameters={
        "rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 1024}), "qwen2"),
}
for name, (kind, config, arch) in MORE.items():
    torch.manual_seed(0)
    model = randomised(kind(config))
    model.save_pretrained(at(name))
    write_gguf(at(name + ".gguf"), model, arch, gguf.GGMLQuantizationType.F32)

# A model that sees images as well, whose text part has two ropes.
torch.manual_seed(0)
whole = randomised(Gemma3ForConditionalGeneration(Gemma3Config(
    text_config=Gemma3TextConfig(**SIZES, head_dim=8, sliding_window=512).to_dict(), mm_tokens_per_image=4,
    vision_config=dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=8, patch_size=4),
    boi_token_index=37, eoi_token_index=38, image_token_index=39)))
whole.save_pretrained(at("gemma3_images"))
text = {name: p for name, p in whole.state_dict().items() if "language_model" in name and "lm_head" not in name}
json.dump({name.replace("language_model.", ""): float(p.double().sum()) for name, p in text.items()},
          open(at("gemma3_images", "sums.json"), "w"), indent=1)

# Every type that safetensors files are read with, written by the library itself.
save_file({"half": torch.tensor([[1.5, -2.0, 65504.0]], dtype=torch.float16), "brain": torch.tensor([3.0, 1e30], dtype=torch.bfloat16),
           "single": torch.arange(6, dtype=torch.float32).reshape(2, 3) / 7, "long": torch.tensor([1 << 40]),
           "int": torch.tensor([-5], dtype=torch.int32), "byte": torch.tensor([1, 2, 3], dtype=torch.uint8),
           "flag": torch.tensor([True]), "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 4)},
          at("types.safetensors"), metadata={"format": "pt"})

# An adapter as PEFT saves it.
torch.manual_seed(1)
model = peft.get_peft_model(AutoModelForCausalLM.from_pretrained(at("llama")),
                            peft.LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"],
                                            task_type="CAUSAL_LM", init_lora_weights=False))
model.save_pretrained(at("adapter"))
os.remove(at("adapter", "README.md"))

# Right values of the block formats: random numbers quantised where the package can, random blocks elsewhere.
rng = np.random.default_rng(0)
values = {}
for name in ["F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]:
    kind = gguf.GGMLQuantizationType[name]
    numbers, size = gguf.GGML_QUANT_SIZES[kind]
    if "K" not in name:
        data = gguf.quants.quantize(rng.standard_normal((1, 64), dtype=np.float32), kind).view(np.uint8).reshape(1, -1)
    else:
        data = rng.integers(0, 256, (1, 2 * size), dtype=np.uint8)
        for block in range(2):
            for offset in ([208] if name == "Q6_K" else [0, 2]):  # scales in half precision must be finite
                place = block * size + offset
                data[0, place:place + 2] = np.frombuffer(np.float16(rng.standard_normal() / 64).tobytes(), np.uint8)
    real = gguf.quants.dequantize(data, kind).reshape(-1)
    values[name] = {"bytes": data.tobytes().hex(), "values": [float(x) for x in real]}
halves = np.array([0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0x7bff, 0xfbff, 0x7c00, 0xfc00], dtype=np.uint16)
values["F16"]["bytes"] += halves[:8].tobytes().hex()
values["F16"]["values"] += [float(x) for x in halves[:8].view(np.float16)]
json.dump(values, open(at("dequantize.json"), "w"))

# Rotation frequencies as transformers computes them.
rotary = {}
for name, rope in {"llama3.1": dict(LLAMA3, original_max_position_embeddings=8192), "llama3.2": dict(LLAMA3, factor=32.0,
                   original_max_position_embeddings=8192), "linear": {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0},
                   "default": {"rope_type": "default", "rope_theta": 1000000.0},
                   "yarn": {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768},
                   "yarn with everything": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "beta_fast": 20.0,
                                            "beta_slow": 2.0, "mscale": 1.0, "mscale_all_dim": 0.5, "truncate": False,
                                            "original_max_position_embeddings": 4096},
                   "dynamic": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0},
                   "longrope": {"rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 4096,
                                "short_factor": [1 + i / 32 for i in range(32)],
                                "long_factor": [1 + i / 2 for i in range(32)]}}.items():
    config = LlamaConfig(hidden_size=256, num_attention_heads=4, num_hidden_layers=1, intermediate_size=8, vocab_size=8,
                         max_position_embeddings=131072, rope_parameters=dict(rope))
    rotary_emb = LlamaForCausalLM(config).model.rotary_emb
    inv = rotary_emb.inv_freq
    rotary[name] = {"config": json.loads(config.to_json_string(use_diff=False)), "inv_freq": [float(x) for x in inv],
                    "attention_factor": float(rotary_emb.attention_scaling),
                    "factors": [float(x) for x in rope_factors(rope, 64)] if rope["rope_type"] == "llama3" else None}
json.dump(rotary, open(at("rope.json"), "w"), indent=1)

# Published config.json files (only the factors of longrope are made up), and what transformers makes of them.
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "published.json")
published = json.load(open(path))
for entry in published.values():
    config = AutoConfig.for_model(**{k: v for k, v in entry["config"].items() if k != "transformers_version"})
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    layer = model.model.layers[0].self_attn
    entry["right"] = {"parameters": sum(p.numel() for p in model.parameters()), "tensors": len(list(model.parameters())),
                      "scale": float(layer.scaling), "context": config.max_position_embeddings,
                      "window": getattr(config, "sliding_window", None),
                      "types": getattr(config, "layer_types", None) or []}
with open(at("published.json"), "w") as f:
    f.write("{\n" + ",\n".join(json.dumps(name) + ": " + json.dumps(entry) for name, entry in published.items()) + "\n}\n")

# Matrices in 4 bits. The numbers follow from a generator (nf4Numbers in tst_nf4.cpp) and are multiples of 2^-16, so
# that their scales add up exactly.
sys.path.append(os.path.join(os.path.dirname(path), ".."))
from nf4_weights import pack, unpack


def made_numbers(count):
    numbers, state = [], 1
    for _ in range(count):
        total = -8190
        for _ in range(4):
            state = (state * 1664525 + 1013904223) % 2**32
            total += state >> 20
        numbers.append(total / 2**16)
    return torch.tensor(numbers, dtype=torch.float32)


matrices = {}
for rows, columns, zeros in ((8, 64, 0), (1, 1, 0), (1, 64, 0), (3, 43, 0), (2, 33, 0), (5, 7, 0), (64, 12, 128),
                             (8, 8, 64), (132, 125, 0), (256, 64, 0)):
    numbers = made_numbers(rows * columns)
    numbers[:zeros] = 0
    codes, state = pack(numbers)
    matrices[f"{rows} x {columns}" + (f", {zeros} of them 0" if zeros else "")] = {
        "shape": [rows, columns], "zeros": zeros, "packed": codes.numpy().tobytes().hex(),
        "scale_codes": state.absmax.numpy().tobytes().hex(), "group_scales": state.state2.absmax.tolist(),
        "mean_scale": float(state.offset),
        "values_sha256": hashlib.sha256(unpack(codes, state, numbers.shape).numpy().tobytes()).hexdigest()}
json.dump(matrices, open(at("nf4.json"), "w"), indent=1)
