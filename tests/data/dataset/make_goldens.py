#!/usr/bin/env python3
"""Right values for core/data: token ids and labels from transformers and TRL.

usage: make_goldens.py --smollm MODEL_FOLDER --templates TEMPLATE_FOLDER --datasets DATASET_FOLDER --demo DEMO_JSON --out FOLDER

Writes, in FOLDER: tiny/ (a byte-level BPE tokenizer of 2,000 entries, trained here on the demo rows), rows.json (rows of every
format with the ids and labels of that tokenizer) and smollm2.json (the same of the real SmolLM2 tokenizer; its rows are the
first of the demo file and of the named datasets, given by number alone).

Made with transformers 5.24, tokenizers 0.23, trl 1.16. Labels of chats: what the render up to and including an
assistant turn adds beyond the render of the turns before it with the generation prompt, for tokens that lie in it as a
whole; transformers' own assistant mask where a template marks `generation`. Labels of prompt and completion given as
text: TRL's own functions.
"""
import argparse, json, os
os.environ.setdefault("HF_HUB_OFFLINE", "1")
from tokenizers import Tokenizer, models, pre_tokenizers, decoders, trainers, processors
from transformers import AutoTokenizer, PreTrainedTokenizerFast
from trl.data_utils import _tokenize, common_prefix_length

IGNORED = -100
MARKED = """{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}{% if message['role'] == 'assistant' %}\
{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}\
{% endif %}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""
# The answer follows the prompt with no token border between: "A:" + "!" may become one token.
TIGHT = """{% for message in messages %}{% if message['role'] == 'user' %}{{ 'Q: ' + message['content'] }}\
{{ ' A' }}{% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}"""


def train_tiny(texts, folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=special, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    # Text gets a start token, so that rendered chats with one too many would show.
    tokenizer.post_processor = processors.TemplateProcessing(single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|endoftext|>", eos_token="<|im_end|>", pad_token="<|im_end|>")
    fast.save_pretrained(folder)
    return fast


def user_turn(row):
    return row["instruction"] + (("\n" + row["input"]) if row.get("input") else "")


def messages_of(row, kind):
    if kind == "alpaca":
        turns = [{"role": "system", "content": row["system"]}] if row.get("system") else []
        for question, answer in row.get("history") or []:
            turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        return turns + [{"role": "user", "content": user_turn(row)}, {"role": "assistant", "content": row["output"]}]
    if kind == "sharegpt":
        roles = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant", "system": "system"}
        turns = [{"role": "system", "content": row["system"]}] if row.get("system") else []
        return turns + [{"role": roles[t["from"]], "content": t["value"]} for t in row["conversations"]]
    turns = []
    for turn in row["messages"]:
        content = turn["content"]
        if isinstance(content, list):
            content = "".join(part.get("text", part.get("value")) for part in content)
        turns.append({"role": turn["role"], "content": content})
    return turns


def encode_chat(tok, template, turns, tools=None):
    render = lambda t, prompt: tok.apply_chat_template(t, chat_template=template, tools=tools, tokenize=False, add_generation_prompt=prompt)
    text = render(turns, False)
    whole = tok(text, add_special_tokens=False, return_offsets_mapping=True)
    ids = tok.apply_chat_template(turns, chat_template=template, tools=tools, tokenize=True, return_dict=True)["input_ids"]
    assert ids == whole["input_ids"]
    if "{% generation %}" in (template or tok.chat_template):
        mask = tok.apply_chat_template(turns, chat_template=template, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)["assistant_masks"]
        return ids, [i if m else IGNORED for i, m in zip(ids, mask)]
    labels = [IGNORED] * len(ids)
    for n, turn in enumerate(turns):
        if turn["role"] != "assistant":
            continue
        before, upto = render(turns[:n], True), render(turns[: n + 1], False)
        if not upto.startswith(before) or not text.startswith(upto):
            return None, None
        for i, (begin, end) in enumerate(whole["offset_mapping"]):
            if len(before) <= begin and end <= len(upto):
                labels[i] = ids[i]
    return ids, labels


def encode(tok, row, kind, template=None, loss_on="assistant"):
    if kind in ("alpaca", "sharegpt", "messages"):
        ids, labels = encode_chat(tok, template, messages_of(row, kind))
    elif kind == "prompt_completion":
        prompt, completion = row["prompt"], row["completion"]
        if isinstance(prompt, str):
            completion = completion if completion.endswith(tok.eos_token) else completion + tok.eos_token
            before = _tokenize(tok, prompt)["input_ids"]
            ids = _tokenize(tok, prompt + completion)["input_ids"]
        else:
            before = tok.apply_chat_template(prompt, chat_template=template, tokenize=False, add_generation_prompt=True)
            text = tok.apply_chat_template(prompt + completion, chat_template=template, tokenize=False)
            assert text.startswith(before)
            encoded = tok(text, add_special_tokens=False, return_offsets_mapping=True)
            ids = _tokenize(tok, prompt + completion, chat_template=template)["input_ids"]
            assert ids == encoded["input_ids"]
        if isinstance(prompt, str):
            start = common_prefix_length(before, ids)
        else:
            start = sum(begin < len(before) for begin, _ in encoded["offset_mapping"])
        labels = [IGNORED] * start + ids[start:]
    elif kind == "text":
        text = row["text"] if row["text"].endswith(tok.eos_token) else row["text"] + tok.eos_token
        ids = _tokenize(tok, text)["input_ids"]
        labels = list(ids)
    else:
        ids, labels = row["input_ids"], row.get("labels") or row["input_ids"]
    if ids is not None and loss_on == "all" and kind != "tokens":
        labels = list(ids)
    return ids, labels


def cut(ids, labels, length, side):
    if length is None or len(ids) <= length:
        return ids, labels
    return (ids[:length], labels[:length]) if side == "right" else (ids[-length:], labels[-length:])


ROWS = [
    ("alpaca", {"instruction": "Name a colour.", "input": "", "output": "Blue."}),
    ("alpaca", {"instruction": "Translate.", "input": "Good morning", "output": "안녕하세요, 좋은 아침이에요 ☀️"}),
    ("alpaca", {"instruction": "번역해 주세요", "input": None, "output": "Yes —  two  spaces,\ttab\n\nand lines.\n"}),
    ("alpaca", {"instruction": "And now?", "output": "Now this.", "system": "Be brief.", "history": [["Hi", "Hello"], ["How are you?", "Fine, thanks!"]]}),
    ("alpaca", {"instruction": "Special <|im_end|> inside", "input": "", "output": "It stays <|im_start|> as it is."}),
    ("alpaca", {"instruction": "Straddle", "input": "", "output": "nd so it goes"}),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello!"}, {"from": "human", "value": "Bye"}, {"from": "gpt", "value": "See you."}]}),
    ("sharegpt", {"system": "Answer in French", "conversations": [{"from": "user", "value": "Hi"}, {"from": "assistant", "value": "Salut !"}]}),
    ("sharegpt", {"conversations": [{"from": "system", "value": "You are Ann."}, {"from": "human", "value": "Who?"}, {"from": "chatgpt", "value": "Ann."}, {"from": "human", "value": "unanswered"}]}),
    ("messages", {"messages": [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}]}),
    ("messages", {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": [{"type": "text", "text": "part one, "}, {"type": "text", "text": "part two"}]}, {"role": "assistant", "content": [{"type": "text", "value": "joined"}]}]}),
    ("messages", {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}, {"role": "assistant", "content": "f"}]}),
    ("messages", {"messages": [{"role": "user", "content": "twice"}, {"role": "assistant", "content": "first"}, {"role": "assistant", "content": "second"}]}),
    ("prompt_completion", {"prompt": "What is 2+2?", "completion": " Four."}),
    ("prompt_completion", {"prompt": "Answer: ", "completion": "four of them"}),
    ("prompt_completion", {"prompt": "The answ", "completion": "er is here"}),
    ("prompt_completion", {"prompt": "", "completion": "From nothing"}),
    ("prompt_completion", {"prompt": "Ends", "completion": " already<|im_end|>"}),
    ("prompt_completion", {"prompt": [{"role": "user", "content": "list?"}], "completion": [{"role": "assistant", "content": "list!"}]}),
    ("text", {"text": "Plain text, <|im_start|> with a token in it."}),
    ("text", {"text": "It ends already.<|im_end|>"}),
    ("text", {"text": "한글과 emoji 👩‍👩‍👧 and ligature ﬁ"}),
    ("tokens", {"input_ids": [1, 5, 6, 2], "labels": [-100, -100, 6, 2]}),
    ("tokens", {"input_ids": [3, 4, 5]}),
]


def goldens(tok, rows, templates):
    cases = []
    for kind, row in rows:
        chat = kind in ("alpaca", "sharegpt", "messages") or isinstance(row.get("prompt"), list)
        for name in templates if chat else [None]:
            settings = [("assistant", None, "right"), ("all", None, "right"), ("assistant", 16, "right"), ("assistant", 16, "left")]
            for loss_on, length, side in settings if name in (None, "chatml") else settings[:1]:
                ids, labels = encode(tok, row, kind, templates.get(name), loss_on)
                if ids is not None:
                    ids, labels = cut(ids, labels, length, side)
                    if all(label == IGNORED for label in labels[1:]):
                        ids = labels = None
                cases.append({"format": kind, "row": row, "template": name, "loss_on": loss_on, "max_length": length, "truncation": side,
                              "ids": ids, "labels": labels})
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("smollm", "templates", "datasets", "demo", "out"):
        parser.add_argument("--" + name, required=True)
    a = parser.parse_args()
    demo = json.load(open(a.demo))
    template = lambda name: open(os.path.join(a.templates, name)).read()
    smollm = AutoTokenizer.from_pretrained(a.smollm)
    templates = {"chatml": smollm.chat_template, "qwen2.5": template("qwen2.5-instruct.jinja"), "zephyr": template("zephyr-tinyllama.jinja"),
                 # its own switch keeps the date out of the text that the test compares
                 "llama3.2": "{%- set date_string = '26 Jul 2024' %}" + template("llama3.2-instruct.jinja"), "marked": MARKED, "tight": TIGHT}
    tiny = train_tiny([user_turn(r) + "\n" + r["output"] for r in demo], os.path.join(a.out, "tiny"))
    with open(os.path.join(a.out, "rows.json"), "w") as f:
        json.dump({"templates": templates, "cases": goldens(tiny, ROWS, templates)}, f, ensure_ascii=False, separators=(",", ":"))

    real = []
    for file, kind, count in [(None, "alpaca", 64), ("glaive_toolcall_en_demo.json", "sharegpt", 12), ("v1_sft_demo.jsonl", "messages", 8),
                              ("prompt_completion_train.jsonl", "prompt_completion", 8), ("wikisql_text_train.jsonl", "text", 8)]:
        path = a.demo if file is None else os.path.join(a.datasets, file)
        rows = json.load(open(path)) if path.endswith(".json") else [json.loads(line) for line in open(path)]
        usable = [r for r in rows[: 4 * count] if kind != "sharegpt" or all(t["from"] in ("human", "gpt") for t in r["conversations"])][:count]
        for row in usable:
            ids, labels = cut(*encode(smollm, row, kind), 512, "right")
            spans, i = [], 0
            while i < len(ids):
                end = i
                while end < len(ids) and labels[end] != IGNORED:
                    end += 1
                if end > i:
                    spans.append([i, end])
                i = max(end, i + 1)
            real.append({"file": file, "format": kind, "ids": ids, "supervised": spans})
    with open(os.path.join(a.out, "smollm2.json"), "w") as f:
        json.dump(real, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
