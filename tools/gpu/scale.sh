#!/usr/bin/env bash
# Data-parallel training beside PyTorch's DistributedDataParallel, on the GPUs of one machine.
#   tools/gpu/scale.sh OUT ROOFLAB GPUS [NETWORK...]
# ROOFLAB is the program, GPUS how many there are (4): 1, 2, 4, ... of them train. Ours and PyTorch's
# take turns, case by case, 64 images a GPU, fp32 (without TF32) and amp. What is in OUT already is
# not run again. OUT/table.md has the ratios.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
most=$3
shift 3
networks=("$@")
[ ${#networks[@]} -gt 0 ] || networks=(resnet18 resnet50 vgg16 alexnet)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$out"
mkdir -p runs logs
touch pytorch.jsonl

devices=$(seq -s, -f 'cuda:%g' 0 "$((most - 1))")
counts=()
for ((n = 1; n < most; n *= 2)); do counts+=("$n"); done
counts+=("$most")

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
python3 "$here/scale_beside_pytorch.py" --compare runs pytorch.jsonl | tee table.md
