# Makes pages of files whose names are made to do harm, and opens them in headless Chromium.
#   hostile.sh PROGRAM WORKERS WORK_FOLDER          exit 77: skipped, with the reason
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "node is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "Chromium is not installed"
[ -e "$(dirname "$1")/../share/rooflab/plotly/plotly-basic.min.js" ] ||
  skip "this build has no Plotly bundle (npm ci, then configure)"

sh "$here/../hostile/make.sh" "$1" "$2" "$3"
exec node "$here/hostile_test.mjs" "$chromium" "$3/out" "$here/../hostile/names.json"
