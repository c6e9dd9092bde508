#!/usr/bin/env bash
# Time to accuracy: five ResNet-50 runs on CIFAR-10, as many at once as there are GPUs, their statistics, and the trained
# models on images from elsewhere. Takes up what OUT holds already, so it can be ended and run again.
#   tools/gpu/train.sh OUT ROOFLAB CIFAR WILD [ACCURACY] [EPOCHS] [SECONDS]
# CIFAR and WILD are folders of class folders (CIFAR with train/ and test/). The batch is what `rooflab train --try` advises
# on an H200.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$2
cifar=$3
wild=$4
accuracy=${5:-0.91}
epochs=${6:-80}
limit=${7:-540}
recipe=(resnet50 --variant cifar --data "cifar10:$cifar" --batch 256 --precision amp --channels-last --data-workers 8
  --lr 0.2 --nesterov --label-smoothing 0.1 --epochs "$epochs" --until "accuracy=$accuracy")
gpus=$(nvidia-smi -L | wc -l)
all=5

first=1
pids=()
for ((gpu = 0; gpu < gpus && first <= all; ++gpu)); do
  runs=$(((all + gpus - 1 - gpu) / gpus))
  timeout --signal=INT "$limit" "$rooflab" train "${recipe[@]}" --device "cuda:$gpu" --runs "$runs" --seed "$first" --resume \
    -o "$out/gpu$gpu" -o "$out/gpu$gpu.json" -o "$out/gpu$gpu.txt" >/dev/null 2>"$out/gpu$gpu.log" &
  pids+=($!)
  first=$((first + runs))
done
for pid in "${pids[@]}"; do wait "$pid" || echo "exit $?"; done
folders=("$out"/gpu[0-9])
timeout 60 "$rooflab" train --report "${folders[@]}" -o "$out/all.json" -o "$out/all.html" -o "$out/all.txt"
cat "$out/all.txt"
timeout 60 "$rooflab" evaluate "${folders[@]}" --data "folder:$wild" --device cuda:0 -o "$out/wild.json" -o "$out/wild.txt"
cat "$out/wild.txt"
