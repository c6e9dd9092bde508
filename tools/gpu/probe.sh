#!/usr/bin/env bash
# Calibrates this GPU twice over and holds its figures against PyTorch's own kernels.
#   tools/gpu/probe.sh OUT ROOFLAB [SECONDS_FOR_OPS]
# OUT/first.toml and OUT/calibration.toml are two probes of one device: their bandwidths and products should agree
# within 2 %. OUT/pytorch.txt is what PyTorch's kernels reach. data/calibrations/h200-sxm.toml was made like this (and
# then given more shapes with --add).
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$2
seconds=${3:-170}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

timeout 180 "$rooflab" probe --device cuda --only bandwidth,l2,peaks,launch --save "$out/first.toml" \
  >"$out/first.txt" 2>"$out/first.log" || cat "$out/first.log"
timeout $((seconds + 180)) "$rooflab" probe --device cuda --ops-time "$seconds" --save "$out/calibration.toml" \
  -o "$out/calibration.json" -o "$out/calibration.html" 2>"$out/calibration.log" || cat "$out/calibration.log"
timeout 60 python3 "$here/probe_beside_pytorch.py" >"$out/pytorch.txt" 2>&1 || true
cat "$out/pytorch.txt"
for name in dram.read dram.write dram.copy dram.triad l2.read gemm.fp32_vector gemm.tf32_tensor gemm.bf16_tensor_fp32 \
  gemm.fp16_tensor_fp32 gemm.fp64_tensor; do
  for file in first calibration; do
    sed -n "s/.*name = \"$name\", unit = \"\([^\"]*\)\", value = \([^,]*\),.*/$file $name \2 \1/p" "$out/$file.toml"
  done
done
