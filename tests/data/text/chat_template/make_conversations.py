"""What transformers renders with smollm2.jinja and the shared chat templates, as conversations.json.

Usage: make_conversations.py CHAT_TEMPLATES_FOLDER > conversations.json     (transformers 5.24, Python 3.11)
"""

import json
import pathlib
import sys

from transformers.utils import chat_template_utils

from make_snippets import NOW, FixedClock, render

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


CONVERSATIONS = [
    [turn("user", "Hi")],
    [turn("system", "Be nice"), turn("user", "Hi"), turn("assistant", "Hello")],
    [turn("user", "Hi"), turn("assistant", "Yo"), turn("user", "And?"), turn("assistant", "Fine.")],
    [turn("system", " x \n"), turn("user", "  a\n\n"), turn("assistant", "\n b  "), turn("user", "ü日本😀\u00a0")],
    [turn("user", ""), turn("assistant", "")],
    [turn("assistant", "first")],
    [turn("user", "a"), turn("user", "b")],
    [turn("system", "a"), turn("system", "b"), turn("user", "c")],
    [],
    [turn("user", "q"), turn("assistant", "<think>\nhmm\n</think>\n\nans"), turn("user", "r"),
     turn("assistant", "<think>\nhmm2\n</think>\n\nans2")],
    [turn("user", "q"), turn("assistant", "x", reasoning_content="because")],
    [turn("weird", "x"), turn("user", "{{ x }} {% if %} <|im_end|>")],
    [turn("user", None)],
    [{"role": "user"}],
    [turn("user", 5)],
]
OPTIONS = [{}, {"add_generation_prompt": True}, {"tools": None, "add_generation_prompt": True, "enable_thinking": False}]


def main():
    chat_template_utils.datetime = FixedClock
    here = pathlib.Path(__file__).parent
    inputs = [{"messages": messages, **options} for messages in CONVERSATIONS for options in OPTIONS]
    rows = []
    for path in [here / "smollm2.jinja", *sorted(pathlib.Path(sys.argv[1]).glob("*.jinja"))]:
        source = path.read_bytes().decode()
        for i, variables in enumerate(inputs):
            result = render(source, {**TOKENS, **variables})
            result.pop("generation", None)
            rows.append({"template": path.name, "input": i, **result})
    print(json.dumps({"now": NOW.isoformat(), "tokens": TOKENS, "inputs": inputs, "rows": rows}, ensure_ascii=False))


if __name__ == "__main__":
    main()
