#!/usr/bin/env python3
"""Right values for chats of every shape: tool calls, reasoning, odd orders, weights, templates that rewrite earlier turns.

usage: make_chats.py --templates TEMPLATE_FOLDER --out FOLDER

Uses the tokenizer in FOLDER/tiny (make_goldens.py made it) and writes FOLDER/chats.json: rows as a dataset file has them, what
transformers 5.24 renders of them with templates of TEMPLATE_FOLDER and of TRL 1.16, and which tokens are learned. With a
template that marks `generation` these are transformers' own assistant mask. Else they are what the render up to and including a
turn adds beyond the render of the turns before it with the generation prompt, for the turns that stand so in the whole text;
turns that the template writes otherwise once later turns follow are counted, not learned. "refused": the row has no such turn,
or transformers cannot render it.
"""
import argparse, json, os
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import trl
from transformers import PreTrainedTokenizerFast

IGNORED = -100
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Weather of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
CALL = {"type": "function", "function": {"name": "weather", "arguments": {"city": "서울", "days": 2, "exact": 1.0}}}


def user(text): return {"role": "user", "content": text}
def answer(text, **more): return {"role": "assistant", "content": text, **more}
def called(*calls): return answer("", tool_calls=list(calls))


# name: (format, the row as files have it, the messages that it stands for, tools, which answers are not to be learned)
ROWS = {
    "one answer": ("messages", {"messages": [user("a"), answer("b")]}, [user("a"), answer("b")], None, []),
    "several answers": ("messages", {"messages": [user("a"), answer("b"), user("c"), answer("d"), user("e"), answer("f")]}, None, None, []),
    "thoughts in the text": ("messages", {"messages": [user("a"), answer("<think>\nbecause\n</think>\n\nb"), user("c"), answer("<think>\nso\n</think>\n\nd")]}, None, None, []),
    "question and answer": ("question_answer", {"question": "why?", "answer": "so.", "id": 3}, [user("why?"), answer("so.")], None, []),
    "no input": ("alpaca", {"instruction": "질문", "output": "답", "url": "u"}, [user("질문"), answer("답")], None, []),
    "parts": ("messages", {"messages": [{"role": "user", "content": [{"type": "text", "value": "a"}, {"type": "text", "text": " b"}], "loss_weight": 0.0},
                                         {"role": "assistant", "content": [{"type": "reasoning", "value": "hm"}, {"type": "text", "value": "c"}], "loss_weight": 1.0}]},
              [user("a b"), answer("c", reasoning_content="hm")], None, []),
    "weight 0": ("messages", {"messages": [user("a"), answer("b", weight=0), user("c"), answer("d", weight=1)]}, [user("a"), answer("b"), user("c"), answer("d")], None, [1]),
    "weight 0 at the end": ("messages", {"messages": [user("a"), answer("b"), user("c"), answer("d", loss_weight=0.0)]}, [user("a"), answer("b"), user("c"), answer("d")], None, [3]),
    "begins with the assistant": ("messages", {"messages": [answer("hello"), user("a"), answer("b")]}, None, None, []),
    "ends with the user": ("messages", {"messages": [user("a"), answer("b"), user("c")]}, None, None, []),
    "system inside": ("messages", {"messages": [user("a"), answer("b"), {"role": "system", "content": "Be brief."}, user("c"), answer("d")]}, None, None, []),
    "system first": ("sharegpt", {"conversations": [{"from": "system", "value": "S"}, {"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}, [{"role": "system", "content": "S"}, user("a"), answer("b")], None, []),
    "two questions": ("messages", {"messages": [user("a"), user("b"), answer("c")]}, None, None, []),
    "two answers": ("messages", {"messages": [user("a"), answer("b"), answer("c")]}, None, None, []),
    "calls in ShareGPT": ("sharegpt", {"conversations": [{"from": "human", "value": "Weather?"}, {"from": "function_call", "value": json.dumps({"name": "weather", "arguments": {"city": "서울", "days": 2, "exact": 1.0}}, ensure_ascii=False)},
                                                          {"from": "observation", "value": "{\"sky\": \"clear\"}"}, {"from": "gpt", "value": "Clear."}], "tools": json.dumps(TOOLS)},
                          [user("Weather?"), called(CALL), {"role": "tool", "content": "{\"sky\": \"clear\"}"}, answer("Clear.")], TOOLS, []),
    "calls in messages": ("messages", {"messages": [user("Weather?"), {"role": "assistant", "content": None, "tool_calls": [{"id": "1", **CALL, "function": {"name": "weather", "arguments": json.dumps(CALL["function"]["arguments"])}}]},
                                                     {"role": "tool", "content": "clear", "tool_call_id": "1"}, answer("Clear.")], "tools": TOOLS},
                          [user("Weather?"), called(CALL), {"role": "tool", "content": "clear"}, answer("Clear.")], TOOLS, []),
    "a call as a part": ("messages", {"messages": [user("Weather?"), {"role": "assistant", "content": [{"type": "reasoning", "value": "I must look."}, {"type": "tool_call", "value": json.dumps(CALL["function"], ensure_ascii=False)}]},
                                                    {"role": "observation", "content": "clear"}, answer("Clear.")], "tools": json.dumps(TOOLS)},
                         [user("Weather?"), {**called(CALL), "reasoning_content": "I must look."}, {"role": "tool", "content": "clear"}, answer("Clear.")], TOOLS, []),
}


def learned(tok, template, turns, tools, left_out):
    def render(count, prompt):
        return tok.apply_chat_template(turns[:count], chat_template=template, tools=tools, tokenize=False, add_generation_prompt=prompt)

    try:
        text = render(len(turns), False)
    except Exception as error:
        return {"refused": str(error)}
    encoded = tok(text, add_special_tokens=False, return_offsets_mapping=True)
    ids, labels, skipped = encoded["input_ids"], [IGNORED] * len(encoded["input_ids"]), 0
    if "{% generation %}" in template or "{%- generation" in template:
        mask = tok.apply_chat_template(turns, chat_template=template, tools=tools, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
        assert mask["input_ids"] == ids
        labels = [i if on else IGNORED for i, on in zip(ids, mask["assistant_masks"])]
        for index in left_out:  # bytes of these answers
            first, last = len(render(index, True)), len(render(index + 1, False))
            labels = [IGNORED if first <= begin and end <= last else label for label, (begin, end) in zip(labels, encoded["offset_mapping"])]
    else:
        for index, turn in enumerate(turns):
            if turn["role"] != "assistant" or index in left_out:
                continue
            try:
                before, whole = render(index, True), render(index + 1, False)
            except Exception:
                before, whole = None, ""
            if index == 0:  # after the only generation prompt
                whole = render(1, False)
                prompt = render(1, True)[len(whole):]
                if prompt and whole.count(prompt) == 1:
                    before = whole[: whole.index(prompt) + len(prompt)]
            if before is None or not whole.startswith(before) or not text.startswith(whole):
                skipped += 1
                continue
            for i, (begin, end) in enumerate(encoded["offset_mapping"]):
                if len(before) <= begin and end <= len(whole):
                    labels[i] = ids[i]
    if all(label == IGNORED for label in labels[1:]):
        return {"refused": "nothing to learn"}
    return {"ids": ids, "learned": [i for i, label in enumerate(labels) if label != IGNORED], "untrained": skipped}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--templates", required=True)
    parser.add_argument("--out", required=True)
    a = parser.parse_args()
    tok = PreTrainedTokenizerFast.from_pretrained(os.path.join(a.out, "tiny"))
    given = {name: open(os.path.join(a.templates, file)).read() for name, file in [("qwen3", "qwen3.jinja"), ("gemma", "gemma.jinja"), ("zephyr", "zephyr-tinyllama.jinja")]}
    inside = os.path.join(os.path.dirname(trl.__file__), "chat_templates")
    for name in ("qwen3_training", "llama3", "llama3_training", "qwen2_5"):
        given[name] = open(os.path.join(inside, name + ".jinja")).read()
    cases = []
    for name, (kind, row, turns, tools, left_out) in ROWS.items():
        turns = turns or row["messages"]
        for template, source in given.items():
            if any("tool_calls" in turn for turn in turns) and "tool_calls" not in source:
                result = {"refused": "tool calls are not written"}
            else:
                result = learned(tok, source, turns, tools, left_out)
            cases.append({"name": name, "format": kind, "row": row, "template": template, **result})
    with open(os.path.join(a.out, "chats.json"), "w") as f:
        json.dump({"templates": given, "cases": cases}, f, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
