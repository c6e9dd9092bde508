#!/usr/bin/env bash
# Measures what the rows of docs/accuracy.md beyond the ten networks are judged by, on one H200.
#   tools/gpu/unseen.sh OUT ROOFLAB SECONDS [STEP...]
# ROOFLAB is the program. Steps run in this order; each begins only while SECONDS are left, and what
# OUT has already is not measured again, so that the script can go on in a further call:
# host        PyTorch's host costs, 15 s: OUT/host.json, for host.pytorch in the calibration
# pytorch     the cases of h200_unseen_cases.csv in PyTorch, the host between their steps: OUT/rows
# linear      wide linear layers: OUT/linear-COLUMNS-PRECISION.json
# calibration issue costs of rooflab-torch, and recurrent layers: OUT/h200-sxm.toml
# rooflab     the same cases in rooflab-torch, with their device time: OUT/device
# OUT/h200_unseen.jsonl and OUT/h200_unseen_linear.csv are for tests/data/accuracy.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
deadline=$((SECONDS + $3))
shift 3
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(host pytorch linear calibration rooflab)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
data=$(readlink -f "$here/../../tests/data/accuracy")
known=$(readlink -f "$here/../../data/calibrations/h200-sxm.toml")

left() { echo $((deadline - SECONDS)); }

# limited NAME MOST COMMAND...: with what is left of the time, MOST seconds at most.
limited() {
  local name=$1 most=$2 start=$SECONDS code=0
  shift 2
  [ "$(left)" -lt "$most" ] && most=$(left)
  [ "$most" -gt 5 ] || { echo "$name: no time left"; return 1; }
  timeout -s INT -k 20 "$most" "$@" >"$out/$name.out" 2>"$out/$name.err" || code=$?
  printf '%s: exit %s, %s s\n' "$name" "$code" "$((SECONDS - start))"
  return $code
}

host() {
  [ -s "$out/host.json" ] ||
    limited host 60 python3 "$here/../pytorch_host.py" "$out/host.json" --seconds 15
}

rows() { # FOLDER OPTION...
  local folder=$1
  shift
  limited "$folder" 1200 python3 "$here/measure_beside_pytorch.py" "$out/$folder" --rooflab "$rooflab" \
    --cases "$data/h200_unseen_cases.csv" "$@"
  printf '%s: %s rows\n' "$folder" "$(wc -l <"$out/$folder/rows.jsonl")"
}

pytorch() { rows rows --sides pytorch --beside-host; }
rooflab() { rows device --sides rooflab; }

linear() {
  local columns precision name
  for columns in 50257 50264; do
    for precision in tf32 amp; do
      name=linear-$columns-$precision
      [ -s "$out/$name.json" ] ||
        limited "$name" 60 "$rooflab" measure --layer "linear(768,$columns)" --input 4096x768 --device cuda \
          --precision "$precision" --format json -o "$out/$name.json"
    done
  done
}

calibration() {
  [ -s "$out/h200-sxm.toml" ] ||
    limited calibration 420 "$rooflab" probe --device cuda --add "$known" --only ops,host --ops-time 280 \
      --save "$out/h200-sxm.toml"
}

# The columns that the accuracy tests read.
collect() {
  python3 - "$out" <<'PYTHON'
import csv, json, pathlib, sys
out = pathlib.Path(sys.argv[1])
keys = ["source", "network", "batch", "size", "phase", "precision", "layout"]
def rows_of(folder):
    path = out / folder / "rows.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
device = {tuple(row[key] for key in keys): row["rooflab"] for row in rows_of("device")}
with open(out / "h200_unseen.jsonl", "w") as file:
    for row in rows_of("rows"):
        row["rooflab"] = device.get(tuple(row[key] for key in keys), row["rooflab"])
        file.write(json.dumps(row) + "\n")
with open(out / "h200_unseen_linear.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["rows", "in_features", "out_features", "precision", "device_s"])
    for path in sorted(out.glob("linear-*.json")):
        name, columns, precision = path.stem.split("-")
        case = json.loads(path.read_text())["cases"][0]
        writer.writerow([4096, 768, columns, precision, case["timing"]["device_s"]])
PYTHON
}

for each in "${steps[@]}"; do
  [ "$(left)" -gt 5 ] && "$each"
done
collect
