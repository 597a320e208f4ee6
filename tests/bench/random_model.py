"""Makes models for the scripts beside it. Needs torch and transformers."""
import os, shutil


def save_random_model(folder, family, shape, seed, tokenizer, dtype="float32"):
    """A model of `family` (transformers' model_type) and `shape` with random weights, and the tokenizer of another."""
    import torch, transformers
    transformers.set_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.for_model(family, **shape))
    model.to(getattr(torch, dtype)).save_pretrained(folder)
    for file in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"):
        if os.path.exists(os.path.join(tokenizer, file)):
            shutil.copy(os.path.join(tokenizer, file), folder)
