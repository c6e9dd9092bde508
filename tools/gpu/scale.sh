#!/usr/bin/env bash
# Data-parallel training compared with PyTorch's DistributedDataParallel, on the GPUs of one machine.
#   [CALIBRATION=FILE] tools/gpu/scale.sh OUT ROOFLAB GPUS [NETWORK...]
# ROOFLAB is the program, GPUS how many there are (4): 1, 2, 4, ... of them train. Ours and PyTorch's
# take turns, case by case, 64 images a GPU, fp32 (without TF32) and amp. Before that the links are
# probed, and kernels during all-reduces: OUT/h200-sxm.toml is CALIBRATION (that of the H200 in
# data/calibrations) with what was measured. What is in OUT already is not run again. OUT/table.md
# has the ratios, and speed-ups next to those that are predicted with either calibration.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
most=$3
shift 3
networks=("$@")
[ ${#networks[@]} -gt 0 ] || networks=(resnet18 resnet50 vgg16 alexnet)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
known=$(readlink -f "${CALIBRATION:-$here/../../data/calibrations/h200-sxm.toml}")
probed=$(basename "$known")
cd "$out"
mkdir -p runs logs
touch pytorch.jsonl

devices=$(seq -s, -f 'cuda:%g' 0 "$((most - 1))")
counts=()
for ((n = 1; n < most; n *= 2)); do counts+=("$n"); done
counts+=("$most")

if [ ! -f "$probed" ]; then
  timeout 600 "$rooflab" probe --links --add "$known" --save "$probed" --format json \
    >links.json 2>logs/links.err || echo "links: exit $?, see logs/links.err"
  grep -h 'overlap\.' "$probed" || echo "links: no figures of kernels during all-reduces"
fi

# predict NAME FILE: steps of all networks on all numbers of GPUs, with that calibration.
predict() {
  "$rooflab" predict "${networks[@]}" --device "$(basename "$known" .toml)" --phase training --batch 64 \
    --precision fp32,amp --gpus "$(IFS=,; echo "${counts[*]}")" --calibration "$2" \
    --format csv >"$1.csv" 2>"logs/$1.err"
}
predict predicted_before "$known"
[ ! -f "$probed" ] || predict predicted "$probed"

for network in "${networks[@]}"; do
  for precision in fp32 amp; do
    for n in "${counts[@]}"; do
      name=$network-$precision-x$n
      start=$SECONDS
      timeout 150 "$rooflab" scale "$network" --device "$devices" --gpus "$n" --batch 64 \
        --precision "$precision" -o runs --resume >"logs/$name.out" 2>"logs/$name.err"
      code=$?
      middle=$SECONDS
      if ! grep -q "\"network\": \"$network\", \"gpus\": $n, \"batch\": 64, \"precision\": \"$precision\", \"event_s\"" pytorch.jsonl; then
        timeout 150 python3 "$here/scale_beside_pytorch.py" "$network" --gpus "$n" --batch 64 \
          --precision "$precision" >>pytorch.jsonl 2>"logs/$name.pytorch.err"
      fi
      printf '%s: exit %s, %s s, PyTorch %s s\n' "$name" "$code" "$((middle - start))" "$((SECONDS - middle))"
    done
  done
done
predictions=(predicted_before.csv)
[ ! -f predicted.csv ] || predictions+=(predicted.csv)
python3 "$here/scale_beside_pytorch.py" --compare runs pytorch.jsonl --predicted "${predictions[@]}" |
  tee table.md
