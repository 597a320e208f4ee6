#!/usr/bin/env bash
# Planned beside measured memory on this machine's NVIDIA GPU, over a sample of the grid; run by hand, in about ten
# minutes. Needs the Python of tests/bench/compare_plans.py.
#
# usage: check_plan.sh CLI MODEL_FOLDER ROWS.json PAIRS.json [PYTHON] [CELLS]
#
# Besides the table it prints, for one run, what LibTorch's allocator took from the driver beside what was simulated.
set -euo pipefail
tests="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
cli="$1" model="$2" rows="$3" pairs="$4" python="${5:-python3}" cells="${6:-40}"

"$cli" doctor
"$python" "$tests/bench/compare_plans.py" --cli "$cli" --model "$model" --data "$rows" --pairs "$pairs" \
    --device cuda:0 --types fp32,fp16,bf16 --sample "$cells" --time || status=$?

options=(--set "model=$model" --set "dataset=$rows" --set device=cuda:0 --set max_rows=64 --set max_steps=4
    --set eval_share=0 --set precision=fp16 --set compute=fp16)
echo "reserved bytes, simulated and measured:"
"$cli" plan --json "${options[@]}" | "$python" -c 'import json, sys
plan = json.load(sys.stdin)
print("  planned   allocated", plan["peak_allocated"], "reserved", plan["peak_reserved"], "process", plan["peak_process"])'
runs="$(mktemp -d)"
trap 'rm -rf "$runs"' EXIT
"$cli" train --json --runs "$runs" "${options[@]}" | "$python" -c 'import json, sys
steps = [json.loads(line) for line in sys.stdin if "\"type\":\"step\"" in line]
highest = lambda key: max((step[key] or 0) for step in steps)
print("  measured  allocated", highest("peak_allocated"), "reserved", highest("reserved"), "device", highest("device_used"))'
exit "${status:-0}"
