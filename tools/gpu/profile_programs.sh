#!/usr/bin/env bash
# What `rooflab profile` tells of programs that are hard to profile (profiled_programs.py), and what it
# costs them: each without the profiler, then with it.
#   tools/gpu/profile_programs.sh OUT ROOFLAB [SECONDS] [KIND...]
# OUT gets KIND.json (record, and KIND.json.gz), KIND.txt (report), KIND.plain.json and KIND.times.json (step times), and for the
# sampled run sample.json, sample.html and sample.txt.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
seconds=${3:-5}
shift $(($# < 3 ? $# : 3))
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(eager compiled reduced graph varying lightning trainer jax cupy triton random fft decode
  two short helpers)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program="$here/profiled_programs.py"
cd "$out"
for kind in "${kinds[@]}"; do
  timeout 60 python3 "$program" "$kind" --seconds "$seconds" --timed "$kind.plain.json" >/dev/null 2>"$kind.err"
  timeout 90 "$rooflab" profile --notes -o "$kind.json" -- python3 "$program" "$kind" --seconds "$seconds" \
    --timed "$kind.times.json" >/dev/null 2>"$kind.txt"
  echo "$kind: exit $?, plain $(cat "$kind.plain.json"), profiled $(cat "$kind.times.json")"
  grep -E 'counted on|^all [0-9,]* launches|held up|a step takes|whole step|no step|window|ended|H200|H100|of the step.s' "$kind.txt" | cut -c1-230 | head -8
  gzip -kf "$kind.json"
done
# A program of nvcc in which nothing repeats, and whose FLOPs are known.
if PATH=/usr/local/cuda/bin:$PATH nvcc -O2 -o plain "$here/plain.cu" 2>plain.err; then
  timeout 90 "$rooflab" profile --notes -o plain.json -- ./plain "$seconds" >plain.out 2>plain.txt
  echo "plain: exit $?, $(cat plain.out)"
  grep -A4 -E '^all [0-9,]* launches|held up' plain.txt | cut -c1-230
fi
[ -n "${ROOFLAB_SKIP_SAMPLES:-}" ] && exit 0
for round in 1 2 3; do
  timeout 60 python3 "$program" graph --seconds "$seconds" --timed "sample.plain$round.json" >/dev/null 2>&1
  timeout 90 "$rooflab" profile --mode sample -o sample.json -o sample.html -- python3 "$program" graph \
    --seconds "$seconds" --timed "sample.times$round.json" >/dev/null 2>sample.txt
  echo "sample $round: exit $?, plain $(cat "sample.plain$round.json"), sampled $(cat "sample.times$round.json")"
done
cut -c1-200 sample.txt | head -20
timeout 90 "$rooflab" profile --mode sample --window profiler -o sums.sampled.json -- python3 "$program" sums \
  --seconds "$seconds" --timed sums.times.json >/dev/null 2>sums.txt
timeout 90 "$rooflab" profile --mode totals --window profiler -o sums.counted.json -- python3 "$program" sums \
  --seconds "$seconds" >/dev/null 2>>sums.txt
python3 - <<'END'
import json
steps = json.load(open("sums.times.json"))["steps"]
sampled = json.load(open("sums.sampled.json"))["sampled_window"]
counted = json.load(open("sums.counted.json"))["counting"]["step"]["raw_counters"]
for name in ("dram_read_bytes", "dram_write_bytes"):
    step = sampled[name] / steps
    print(f"{name} of a sum: sampled {step:.6g}, counted {counted[name]:.6g}: {step / counted[name] - 1:+.2%}")
print(f"covered {sampled['sampled_share']:.2%} of {sampled['window_s']:.3f} s, {steps} sums")
END
gzip -f sample.json sums.sampled.json sums.counted.json
