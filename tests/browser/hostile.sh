# Opens pages of files whose names are made to do harm in headless Chromium.
#   hostile.sh PROGRAM FOLDER          FOLDER: what tests/hostile/make.sh made; exit 77: skipped, with the reason
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
[ -d "$2/out" ] || skip "the pages could not be made"
command -v node >/dev/null || skip "node is not installed"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "Chromium is not installed"
[ -e "$(dirname "$1")/../share/rooflab/plotly/plotly-basic.min.js" ] ||
  skip "this build has no Plotly bundle (npm ci, then configure)"

exec node "$here/hostile_test.mjs" "$chromium" "$2/out" "$here/../hostile/names.json"
