#!/usr/bin/env bash
# What fits, predicted and found: training batches (held to a part of the GPU's memory, where a try takes seconds, and
# on all of it), and a chain of convolutions and linear layers; then a chain that 8 GB do not hold, cut over two GPUs.
#   tools/gpu/fit.sh OUT ROOFLAB [DEVICES]     DEVICES: cuda:0,cuda:1 (the default)
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$2
devices=${3:-cuda:0,cuda:1}
chain=(--layer "conv=conv2d(64,64,k=3,p=1)" --layer "fc=linear(112,112)" --input 16x64x112x112 --phase forward)

run() { # NAME SECONDS ARGUMENT...
  local name=$1 limit=$2
  shift 2
  echo "== rooflab $*"
  timeout "$limit" "$rooflab" "$@" -o "$out/$name.json" -o "$out/$name.txt" 2>"$out/$name.log"
  echo "exit $?"
  cat "$out/$name.txt" 2>/dev/null || cat "$out/$name.log"
}

for limit in 20GB 40GB; do
  run "vgg16_$limit" 120 fit vgg16 --device cuda:0 --vary batch=1.. --phase training --memory-limit "$limit" --measure --iterations 2
done
run resnet50_20GB 120 fit resnet50 --device cuda:0 --vary batch=1.. --phase training --memory-limit 20GB --measure --iterations 2
run chain_8GB 180 fit "${chain[@]}" --device cuda:0 --vary conv=1..,fc=1.. --memory-limit 8GB --measure --iterations 2
run chain_partition 60 partition "${chain[@]}" --count conv=100,fc=62 --device "$devices" --memory-limit 8GB --measure
run vgg16 400 fit vgg16 --device cuda:0 --vary batch=1.. --phase training --measure --iterations 2
