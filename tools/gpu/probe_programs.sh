#!/usr/bin/env bash
# Adds to a calibration of this GPU what programs use beyond networks of images: attention over a cache and of prompts,
# products of few rows by large weights, of groups of rows and in FP8, norms and losses over wide rows, copies, sums,
# recurrent layers, and what a kernel of a replayed CUDA graph takes.
#   tools/gpu/probe_programs.sh OUT ROOFLAB [SECONDS_FOR_OPS] [CALIBRATION]
# CALIBRATION (default: data/calibrations/h200-sxm.toml) keeps its rows; ops that it has are not measured again.
# OUT gets
#   launch.toml         figures of launches and of CUDA graphs
#   calibration.toml    CALIBRATION with what was measured, fitted
#   issue.json          what PyTorch's host takes for each class of ops on this machine
#   tiny/               small steps of programs, which the host bounds: recordings and times (record_programs.py)
# and logs. Rows of rms_norm are measured anew: they were of PyTorch's ops one by one, which is now a kernel. If the time ends while ops are measured, calibration.toml has those that were; if it ends while they are
# fitted, calibration.toml.ops.jsonl has them, and the same command goes on from there.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
seconds=${3:-270}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
calibration=$(readlink -f "${4:-$here/../../data/calibrations/h200-sxm.toml}")
python3 - "$calibration" "$out/base.toml" <<'END'
import sys
tables = open(sys.argv[1], encoding="utf-8").read().split("\n[ops.")
kept = [table for table in tables if not table.startswith('"rms_norm.')]
open(sys.argv[2], "w", encoding="utf-8").write("\n[ops.".join(kept))
END
export PYTHONPATH=$here/../../python:$here/../../tests/python${PYTHONPATH:+:$PYTHONPATH}

timeout 60 "$rooflab" probe --device cuda --only launch --save "$out/launch.toml" \
  >"$out/launch.txt" 2>&1 || cat "$out/launch.txt"
grep 'name = "launch' "$out/launch.toml" || true
timeout $((seconds + 150)) "$rooflab" probe --device cuda --only ops --ops-time "$seconds" --add "$out/base.toml" \
  --save "$out/calibration.toml" >"$out/calibration.txt" 2>&1 || tail -c 2000 "$out/calibration.txt"
ls -l "$out"
timeout 60 python3 "$here/../pytorch_host.py" "$out/issue.json" --seconds 15 >"$out/issue.txt" 2>&1 ||
  tail -n 3 "$out/issue.txt"
timeout 100 python3 "$here/record_programs.py" "$out/tiny" --scale small --seconds 95 \
  --only hf_llama,hf_bert,hf_gpt2,hf_t5,hf_bart,hf_qwen3,hf_whisper,hf_vit,decode,llama,timm_efficientnet_b0,hf_mixtral \
  >"$out/tiny.txt" 2>&1 || tail -n 3 "$out/tiny.txt"
ls -l "$out" "$out/tiny"
