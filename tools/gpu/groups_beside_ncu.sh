#!/usr/bin/env bash
# Counters of `rooflab profile` compared with Nsight Compute's, group by group: kernels with one name, grid and block.
# For programs whose kernels ncu can count some of, whatever their steps are (profiled_programs.py).
#   tools/gpu/groups_beside_ncu.sh OUT ROOFLAB DEVICE SECONDS SKIP COUNT KIND...
# ncu counts COUNT launches after the first SKIP; OUT gets KIND.json, KIND.ncu.csv and beside_ncu.txt.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
device=$3 seconds=$4 skip=$5 count=$6
shift 6
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
[ -d /usr/local/cuda/bin ] && export PATH=/usr/local/cuda/bin:$PATH
program="$here/profiled_programs.py"
cd "$out" || exit
metrics=$("$rooflab" import --ncu-command "$device" | grep -o -- '--metrics [^ ]*' | cut -d' ' -f2)
for kind in "$@"; do
  [ -f "$kind.json" ] || timeout 90 "$rooflab" profile --notes -o "$kind.json" -- \
    python3 "$program" "$kind" --seconds "$seconds" >"$kind.out" 2>"$kind.txt"
  timeout 150 ncu --cache-control none --clock-control none --launch-skip "$skip" --launch-count "$count" \
    --metrics "$metrics" --csv --log-file "$kind.ncu.csv" \
    python3 "$program" "$kind" --seconds 2 >"$kind.ncu.out" 2>&1
  echo "$kind under ncu: exit $?"
done
python3 "$here/groups_beside_ncu.py" "$rooflab" "$out" "$@" | tee beside_ncu.txt
