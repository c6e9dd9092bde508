# Makes a report and checks it in headless Chromium.
#   run.sh PROGRAM WORK_FOLDER          exit 77: skipped, with the reason
set -eu
program=$1
work=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }

command -v node >/dev/null || skip "node is not installed"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "Chromium is not installed"
[ -e "$(dirname "$program")/../share/rooflab/plotly/plotly-basic.min.js" ] ||
  skip "this build has no Plotly bundle (npm ci, then configure)"

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$program" predict resnet18 alexnet vgg16 --device a100-sxm4-40gb,t4 --batch 256 --phase forward \
  -o report.html >/dev/null
exec node "$here/report_test.mjs" "$chromium" "$work/report.html" 6
