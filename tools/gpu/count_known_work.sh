#!/usr/bin/env bash
# Work whose FLOPs and bytes are known, counted; and failures, rehearsed.
#   tools/gpu/count_known_work.sh OUT ROOFLAB
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$out"

for work in gemm-tf32 gemm-bf16 gemm-fp16 gemm-fp64 gemm-fp32 copy; do
  timeout 60 "$rooflab" profile -o "$work.json" -- python3 "$here/pytorch_program.py" "$work" \
    --seconds 4 >"$work.out" 2>"$work.err"
  printf '%s: exit %s\n' "$work" $?
done
python3 - <<'END'
import json
for work in ("gemm-tf32", "gemm-bf16", "gemm-fp16", "gemm-fp64", "gemm-fp32", "copy"):
    try:
        record = json.load(open(f"{work}.json"))
    except (OSError, ValueError) as error:
        print(work, error)
        continue
    total = {}
    for kernel in record["kernels"]:
        for key, value in kernel["raw_counters"].items():
            total[key] = total.get(key, 0) + value
    expected = 2 * 2**31 if work == "copy" else 2 * 4096**3
    if work == "copy":
        got, expected = total.get("dram_read_bytes", 0) + total.get("dram_write_bytes", 0), 2 * 2**30
    elif work == "gemm-fp32":
        got = total.get("fadd", 0) + total.get("fmul", 0) + 2 * total.get("ffma", 0)
    else:
        got = sum(v for k, v in total.items() if k.startswith("tensor_") and "pipe" not in k)
    print(f"{work:10} {got:18,.0f} of {expected:18,.0f}: {got / expected:.5f}")
END
