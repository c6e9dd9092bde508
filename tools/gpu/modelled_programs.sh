#!/usr/bin/env bash
# FLOP/s and bytes/s that are modelled from shapes, compared with counted ones: ResNet-50, BERT and a decode
# loop (modelled_programs.py), or other kinds (profiled_programs.py), each with counters and with
# --no-counters.
#   tools/gpu/modelled_programs.sh OUT ROOFLAB [KIND...]
# `decode.program` is the kind `decode` of profiled_programs.py. OUT gets KIND.counted.json, KIND.times.json (records), .txt (reports, with the page's notes), a page
# KIND.times.html, the processes' files in KIND.counted and KIND.times, and table.txt. Under four minutes.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
ROOFLAB=$(readlink -f "$2")
export ROOFLAB
shift 2
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(resnet50 bert decode)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export PYTHONPATH="$here/../../python${PYTHONPATH:+:$PYTHONPATH}"
cd "$out" || exit
for kind in "${kinds[@]}"; do
  case $kind in
    resnet50 | bert | decode) program="$here/modelled_programs.py" ;;
    *) program="$here/profiled_programs.py" ;;
  esac
  began=$SECONDS
  rm -rf "$kind.counted" "$kind.times"
  counted=14
  [ "$kind" = decode ] && counted=60 # many kernels in a step
  timeout -k 5 110 python3 -m rooflab profile --notes --keep "$kind.counted" -o "$kind.counted.json" \
    -- python3 "$program" "${kind%.program}" --seconds $counted >"$kind.counted.out" 2>"$kind.counted.txt"
  echo "$kind with counters: exit $?, $((SECONDS - began)) s"
  began=$SECONDS
  timeout -k 5 40 python3 -m rooflab profile --no-counters --notes --keep "$kind.times" -o "$kind.times.json" \
    -o "$kind.times.html" -- python3 "$program" "${kind%.program}" --seconds 7 >"$kind.times.out" 2>"$kind.times.txt"
  echo "$kind without: exit $?, $((SECONDS - began)) s"
  sed -n '/^Ops of/,/^$/p' "$kind.times.txt" | cut -c1-160 | head -16
  grep -hE 'modelled from shapes:|counted against modelled|ops are not|ops of the program|while ops' \
    "$kind.counted.txt" "$kind.times.txt" | cut -c1-220
done
timeout 60 python3 "$here/modelled_programs.py" table "$out" 2>&1 | tee table.txt
