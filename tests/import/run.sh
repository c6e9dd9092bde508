#!/bin/sh
# The panes of a trace, derived twice: by the program and by trace_panes.mjs, which was written apart
# from it. They must agree to the printed digit, line by line.
#   run.sh ROOFLAB TRACE WORK_FOLDER
# Exit 77, which ctest takes for skipped, without node.
set -eu
program=$1
trace=$2
work=$3
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v node >/dev/null; then
  echo "skipped: no node, which derives the panes a second time"
  exit 77
fi
mkdir -p "$work"
"$program" import "$trace" --format json >"$work/import.json"
node "$here/panes_of_json.mjs" "$work/import.json" >"$work/program.txt"
node "$here/trace_panes.mjs" "$trace" >"$work/derived.txt"
lines=$(wc -l <"$work/derived.txt")
if [ "$lines" -lt 500 ]; then
  echo "only $lines lines were derived"
  exit 1
fi
diff "$work/derived.txt" "$work/program.txt" || {
  echo "the program's panes differ from those derived (above: derived <, program >)"
  exit 1
}
echo "$lines lines agree"
