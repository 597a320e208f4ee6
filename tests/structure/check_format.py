#!/usr/bin/env python3
"""Every C++ file is laid out as .clang-format says."""
import re
import subprocess
import sys

from repository import ROOT, files

sources = files(".h", ".cpp", folders=["core", "ui", "app", "tests"])
run = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources], cwd=ROOT, capture_output=True, text=True)
odd = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", run.stderr, re.MULTILINE)))
print(f"To be laid out again: clang-format -i {' '.join(odd)}" if odd else run.stderr)
sys.exit(run.returncode)
