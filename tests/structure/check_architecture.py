#!/usr/bin/env python3
"""core <- ui <- app; no Qt in core or the command line; LibTorch in the engine alone, and in no header that ui or app sees."""
import pathlib
import re
import sys

from repository import ROOT, files, includes, own_includes, reach

# In order of dependence: each folder of core uses those before it.
CORE_FOLDERS = ["base", "config", "runs", "memory", "ops", "model", "text", "data", "train"]
WITHOUT_TORCH = {"base", "config", "text", "data", "runs"}
TORCH = re.compile(r"(torch|ATen|c10)/")
QT = re.compile(r"(Q[A-Z]|Qt)|qcustomplot")
LAYERS = ["core", "ui", "app"]
LINES_AT_MOST = 500


def includes_torch(path):
    return any(TORCH.match(name) for _, name in includes(path))


def layer(path):
    return LAYERS.index(path.parts[0])


def check_layers(path):
    for included in own_includes(path):
        if included.parts[0] in LAYERS and layer(included) > layer(path):
            yield f"includes {included}: the direction is core <- ui <- app"
    if path.parts[0] == "core" or path.parts[:2] == ("app", "cli"):
        for _, name in includes(path):
            if QT.match(name):
                yield f"includes {name}: no Qt here"


def check_torch(path):
    if path.parts[0] != "core":
        for reached in sorted(reach(path)):
            if includes_torch(reached):
                yield f"sees LibTorch through {reached}: ui and app must not"
    elif path.parts[1] in WITHOUT_TORCH and any(includes_torch(reached) for reached in reach(path)):
        yield f"sees LibTorch: core/{path.parts[1]} must not"


def check_core_order(path):
    if path.parts[0] != "core":
        return
    above = CORE_FOLDERS[:CORE_FOLDERS.index(path.parts[1]) + 1]
    for included in own_includes(path):
        if included.parts[0] == "core" and included.parts[1] not in above:
            yield f"includes {included}: core/{path.parts[1]} uses only core/{{{','.join(above)}}}"


def check_shape(path):
    text = (ROOT / path).read_text()
    if path.suffix == ".h" and "#pragma once" not in text:
        yield "has no #pragma once"
    if text.count("\n") > LINES_AT_MOST:
        yield f"has more than {LINES_AT_MOST} lines: one concept a file"


def main():
    complaints = []
    for path in files(".h", ".cpp", folders=["core", "ui", "app", "tests"]):
        checks = [check_shape]
        if path.parts[0] in LAYERS and len(path.parts) > 2:
            checks += [check_layers, check_torch, check_core_order]
        complaints += [f"{path} {complaint}" for check in checks for complaint in check(path)]
    print("\n".join(complaints) or "The architecture is as it should be.")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
