#!/usr/bin/env bash
# What `rooflab profile` tells of programs that are hard to profile (profiled_programs.py), and what it
# costs them: each without the profiler, then with it.
#   tools/gpu/profile_programs.sh OUT ROOFLAB [SECONDS]
# OUT gets KIND.json (record), KIND.txt (report), KIND.plain.json and KIND.times.json (step times), and for the
# sampled run sample.json, sample.html and sample.txt.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
seconds=${3:-5}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program="$here/profiled_programs.py"
cd "$out"
for kind in graph varying short helpers; do
  timeout 60 python3 "$program" "$kind" --seconds "$seconds" --timed "$kind.plain.json" >/dev/null 2>"$kind.err"
  timeout 90 "$rooflab" profile -o "$kind.json" -- python3 "$program" "$kind" --seconds "$seconds" \
    --timed "$kind.times.json" >/dev/null 2>"$kind.txt"
  echo "$kind: exit $?, plain $(cat "$kind.plain.json"), profiled $(cat "$kind.times.json")"
  grep -E 'counted on|a step takes|whole step|no step|window|ended|H200|H100' "$kind.txt" | cut -c1-230 | head -8
  gzip -f "$kind.json"
done
timeout 60 python3 "$program" graph --seconds "$seconds" --timed sample.plain.json >/dev/null 2>&1
timeout 90 "$rooflab" profile --mode sample -o sample.json -o sample.html -- python3 "$program" graph \
  --seconds "$seconds" --timed sample.times.json >/dev/null 2>sample.txt
echo "sample: exit $?, plain $(cat sample.plain.json), sampled $(cat sample.times.json)"
cat sample.txt | cut -c1-200 | head -40
gzip -f sample.json
