#!/usr/bin/env python3
"""Shell scripts pass bash -n and shellcheck; Python scripts parse."""
import ast
import subprocess
import sys

from repository import ROOT, files

failed = False
shell = [path for path in files() if path.suffix == ".sh" or str(path) == ".ci/run"]
for path in shell:
    failed |= subprocess.run(["bash", "-n", path], cwd=ROOT).returncode != 0
failed |= subprocess.run(["shellcheck", "--external-sources", "--source-path=SCRIPTDIR", *shell], cwd=ROOT).returncode != 0
for path in files(".py"):
    try:
        ast.parse((ROOT / path).read_text(), str(path))
    except SyntaxError as error:
        print(error)
        failed = True
sys.exit(failed)
