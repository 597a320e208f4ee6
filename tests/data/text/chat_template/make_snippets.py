"""What transformers renders for each template in snippets.txt, as snippets.json.

Usage: make_snippets.py > snippets.json     (transformers 5.24, jinja2 3.1.6, Python 3.11)
"""

import ast
import datetime
import json
import pathlib

from transformers.utils import chat_template_utils

VARIABLES = {
    "l": [1, 2, 3],
    "d": {"k": "v", "b": None, "l": [1, 2.5, "é"], "n": 1},
    "s": "héllo",
    "n": None,
    "f": 1.5,
    "t": True,
    "big": 1234567890123,
    "neg": -7,
    "e": "",
    "messages": [
        {"role": "system", "content": " Be nice. "},
        {"role": "user", "content": "Hi 😀\n"},
        {"role": "assistant", "content": "Hello"},
    ],
}
NOW = datetime.datetime(2026, 1, 5, 3, 4, 5)


class FixedClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def render(template, variables):
    """Text and byte spans of the generation blocks, or "error"."""
    try:
        compiled = chat_template_utils._compile_jinja_template(template)
        blocks, indices = [], []
        with compiled.environment.activate_tracker(blocks, indices):
            for block in compiled.generate(**variables):
                blocks.append(block)
        text = "".join(blocks)
        spans = [[len(text[:begin].encode()), len(text[:end].encode())] for begin, end in indices]
        return {"text": text, "generation": spans}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    chat_template_utils.datetime = FixedClock
    lines = (pathlib.Path(__file__).parent / "snippets.txt").read_text(encoding="utf-8").split("\n")
    templates = [ast.literal_eval(line) for line in lines if line and not line.startswith("#")]
    rows = [{"template": template, **render(template, VARIABLES)} for template in templates]
    print(json.dumps({"now": NOW.isoformat(), "variables": VARIABLES, "rows": rows}, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
