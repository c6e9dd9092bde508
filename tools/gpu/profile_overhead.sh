#!/usr/bin/env bash
# What `rooflab profile` costs a PyTorch training loop: the same program with and without, in turns.
#   tools/gpu/profile_overhead.sh OUT ROOFLAB [ROUNDS] [BATCH...]
# Ten rounds of batch 1 and 64 by default. A round is a pair; every second one begins with the profiler.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
rounds=${3:-10}
shift $(($# < 3 ? $# : 3))
batches=("$@")
[ ${#batches[@]} -gt 0 ] || batches=(1 64)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$out"
program="$here/pytorch_program.py"

plain() { # BATCH ROUND
  timeout 60 python3 "$program" resnet18 --batch "$1" --seconds 3 --timed "plain-b$1-$2.json" >/dev/null \
    2>"plain-b$1-$2.err"
}
traced() { # BATCH ROUND
  timeout 60 "$rooflab" profile --mode trace -o "trace-b$1-$2.csv" -- python3 "$program" resnet18 \
    --batch "$1" --seconds 3 --timed "trace-b$1-$2.json" >/dev/null 2>"trace-b$1-$2.err"
}
for batch in "${batches[@]}"; do
  for round in $(seq "$rounds"); do
    if [ $((round % 2)) = 1 ]; then
      plain "$batch" "$round"
      traced "$batch" "$round"
    else
      traced "$batch" "$round"
      plain "$batch" "$round"
    fi
    rm -f "trace-b$batch-$round.csv"
  done
  timeout 60 "$rooflab" profile --mode totals -o "totals-b$batch.json" -- python3 "$program" \
    resnet18 --batch "$batch" --seconds 3 --timed "totals-b$batch.times.json" >/dev/null \
    2>"totals-b$batch.err"
done
python3 - "$rounds" "${batches[@]}" <<'END'
import json
import math
import statistics
import sys

rounds, batches = int(sys.argv[1]), sys.argv[2:]


def interval(values):
    """Of the median, by order statistics: at least 95 % sure (a sign test)."""
    values = sorted(values)
    n, below, outside = len(values), 0, 0.0
    while outside + math.comb(n, below) / 2**n <= 0.025:
        outside += math.comb(n, below) / 2**n
        below += 1
    low = max(below - 1, 0)
    return values[low], values[n - 1 - low]


for batch in batches:
    steps = {kind: [json.load(open(f"{kind}-b{batch}-{i + 1}.json"))["step_s"] * 1e3
                    for i in range(rounds)] for kind in ("plain", "trace")}
    for kind, runs in steps.items():
        print(f"batch {batch} {kind}: step {', '.join(f'{run:.3f}' for run in runs)} ms")
    ratios = [traced / plain - 1 for plain, traced in zip(steps["plain"], steps["trace"])]
    low, high = interval(ratios)
    print(f"batch {batch}: --mode trace {statistics.median(ratios):+.1%}, the median of {rounds} pairs"
          f" ({low:+.1%} to {high:+.1%})")
    counting = json.load(open(f"totals-b{batch}.json"))["counting"]
    passes = sum(each["passes"] for each in counting["sets"])
    plain = statistics.median(steps["plain"])
    print(f"batch {batch}: --mode totals {passes} steps counted in {counting['wall_s'] * 1e3:.1f} ms,"
          f" {counting['wall_s'] / passes * 1e3 / plain:.2f} x a step each;"
          f" arming before {counting['arming_s'] * 1e3:.0f} ms")
END
