#!/usr/bin/env bash
# Counters of `rooflab profile` compared with Nsight Compute's, of the same program on the same machine.
#   tools/gpu/count_beside_ncu.sh OUT ROOFLAB DEVICE CASE...
# A CASE is WORK:BATCH:PRECISION[:dram], `resnet18:1:tf32`; with :dram only DRAM bytes are asked of ncu.
# DEVICE is what the device files call the GPU (h200). Needs ncu, and torch and torchvision in python3.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
device=$3
shift 3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
[ -d /usr/local/cuda/bin ] && export PATH=/usr/local/cuda/bin:$PATH
cd "$out"

all=$("$rooflab" import --ncu-command "$device" | grep -o -- '--metrics [^ ]*' | cut -d' ' -f2)
dram=$(tr , '\n' <<<"$all" | grep '^dram__' | paste -sd,)
tensor=$(tr , '\n' <<<"$all" | grep 'ops_path_tensor' | paste -sd,)

under_ncu() { # NAME METRICS WORK BATCH PRECISION
  timeout 200 ncu --profile-from-start off --cache-control none --clock-control none \
    --metrics "$2" --csv --log-file "$1.ncu.csv" \
    python3 "$here/pytorch_program.py" "$3" --batch "$4" --precision "$5" --steps 1 \
    --window profiler --timed "$1.ncu.json" >"$1.ncu.out" 2>&1
  printf '%s under ncu: exit %s\n' "$1" $?
}

for case in "$@"; do
  IFS=: read -r work batch precision only <<<"$case"
  name=$work-b$batch-$precision
  for mode in kernels totals; do
    timeout 120 "$rooflab" profile --mode "$mode" -o "$name.$mode.json" -- \
      python3 "$here/pytorch_program.py" "$work" --batch "$batch" --precision "$precision" \
      --steps 300 --seconds 4 --timed "$name.$mode.times.json" >"$name.$mode.out" 2>"$name.$mode.err"
    printf '%s --mode %s: exit %s\n' "$name" "$mode" $?
  done
  under_ncu "$name.dram" "$dram" "$work" "$batch" "$precision"
  [ "${only:-}" = dram ] && continue
  under_ncu "$name.all" "gpu__time_duration.sum,$all" "$work" "$batch" "$precision"
  under_ncu "$name.totals" "$dram,$tensor" "$work" "$batch" "$precision"
done
python3 "$here/compare_with_ncu.py" "$rooflab" "$out" | tee beside_ncu.txt
