#!/usr/bin/env bash
# What `rooflab profile` costs a PyTorch training loop: the same program with and without, in turns.
#   tools/gpu/profile_overhead.sh OUT ROOFLAB [ROUNDS]
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
rounds=${3:-3}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$out"
program="$here/pytorch_program.py"

for batch in 1 64; do
  for round in $(seq "$rounds"); do
    timeout 60 python3 "$program" resnet18 --batch "$batch" --seconds 3 \
      --timed "plain-b$batch-$round.json" >/dev/null 2>"plain-b$batch-$round.err"
    timeout 60 "$rooflab" profile --mode trace -o "trace-b$batch-$round.csv" -- python3 "$program" \
      resnet18 --batch "$batch" --seconds 3 --timed "trace-b$batch-$round.json" >/dev/null \
      2>"trace-b$batch-$round.err"
  done
  timeout 60 python3 "$program" resnet18 --batch "$batch" --seconds 1 \
    --kineto "kineto-b$batch.trace.json" --timed "kineto-b$batch.json" >/dev/null 2>&1
  rm -f "kineto-b$batch.trace.json"
  timeout 60 "$rooflab" profile --mode totals -o "totals-b$batch.json" -- python3 "$program" \
    resnet18 --batch "$batch" --seconds 3 --timed "totals-b$batch.times.json" >/dev/null \
    2>"totals-b$batch.err"
done
python3 - "$rounds" <<'END'
import json
import statistics
import sys

rounds = range(1, int(sys.argv[1]) + 1)
for batch in (1, 64):
    medians = {}
    for kind in ("plain", "trace"):
        runs = [json.load(open(f"{kind}-b{batch}-{i}.json"))["step_s"] * 1e3 for i in rounds]
        medians[kind] = statistics.median(runs)
        print(f"batch {batch} {kind}: step {', '.join(f'{run:.3f}' for run in runs)} ms")
    print(f"batch {batch}: --mode trace {medians['trace'] / medians['plain'] - 1:+.1%}")
    counting = json.load(open(f"totals-b{batch}.json"))["counting"]
    passes = sum(each["passes"] for each in counting["sets"])
    print(f"batch {batch}: --mode totals {passes} steps counted in {counting['wall_s'] * 1e3:.1f} ms,"
          f" {counting['wall_s'] / passes * 1e3 / medians['plain']:.2f} x a step each;"
          f" arming before {counting['arming_s'] * 1e3:.0f} ms")
END
