#!/usr/bin/env bash
# The published studies on the GPUs of this machine, one after the other, and their pages.
#   tools/gpu/studies.sh OUT ROOFLAB [STUDY...]
# STUDY is a name of studies/ without .toml; without any, all but the one that trains to an accuracy
# (train.sh spreads that over the GPUs). Two GPUs let s5-1 and s5-4 run in full. What OUT holds already
# is not run again, so this can be ended at any time and run once more. OUT/pages.tar.gz has the pages.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
shift 2
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../studies"
studies=("$@")
if [ ${#studies[@]} -eq 0 ]; then
  for file in *.toml; do [ "$file" = s4-2_time_to_accuracy.toml ] || studies+=("${file%.toml}"); done
fi

for name in "${studies[@]}"; do
  start=$SECONDS
  timeout --signal=INT "${SECONDS_A_STUDY:-300}" "$rooflab" study run "$name.toml" -o "$out" \
    >"$out/$name.out" 2>"$out/$name.err"
  printf '%s: exit %s, %s s\n' "$name" "$?" "$((SECONDS - start))"
done
cd "$out" && tar czf pages.tar.gz -- */report.html */report.md */report.json
