#!/usr/bin/env bash
# Timelines of predict, measure and profile on a GPU, each read back by `rooflab import`, and the pages
# of counters.
#   tools/gpu/timelines.sh OUT ROOFLAB DEVICE       DEVICE: the GPU's id in `rooflab devices`
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
device=$3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
[ -d /usr/local/cuda/bin ] && export PATH=/usr/local/cuda/bin:$PATH
cd "$out"
step=(--batch 32 --phase training --precision fp32)

say() { printf '\n== %s\n' "$*"; }
read_back() { # FILE
  say "import $1"
  "$rooflab" import "$1" --top 3
}

say predict
"$rooflab" predict resnet18 --device "$device" "${step[@]}" -o predict.trace.json -o predict.html
read_back predict.trace.json

say measure
timeout 200 "$rooflab" measure resnet18 --device cuda "${step[@]}" --per-layer -o measure.trace.json \
  -o measure.html -o measure.json
read_back measure.trace.json

say profile, a timeline
timeout 120 "$rooflab" profile --mode trace -o profile.trace.json -o profile.html -- \
  python3 "$here/pytorch_program.py" resnet18 --steps 5
read_back profile.trace.json

say profile, counters
timeout 200 "$rooflab" profile -o counted.json -o counted.html -- \
  python3 "$here/pytorch_program.py" resnet18 --steps 5
"$rooflab" roofline counted.json
timeout 200 "$rooflab" measure alexnet --device cuda --batch 16 --phase inference --counters \
  -o layers.html -o layers.json
