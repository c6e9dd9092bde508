# Makes pages and checks them in headless Chromium. With ROOFLAB_PICTURES=1 pictures of them are left
# in the folder.
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
# The worker of the command line's tests, which makes its figures up.
workers=$(CDPATH='' cd -- "$(dirname -- "$program")/.." && pwd)/tests/workers

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$program" predict resnet18 alexnet densenet121 --device a100-sxm4-40gb,t4 --batch 256 \
  --phase forward -o predict.html >/dev/null

"$program" predict resnet18 alexnet vgg16 resnet50 --device all --batch 64 -o many.html >/dev/null

# A program and a network whose names are markup.
name='<img src=x onerror=alert(1)>'
cp /bin/sleep "$name"
"$program" monitor -o monitor.html -- "./$name" 1 >/dev/null

# A report of a prediction, of counters with a kernel whose name is markup, of a trace and, where there
# is a worker, of a measurement: limits, kernels and layers below one roof.
data=$here/../data/import
sed "s/sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs[a-z0-9_]*/$name/" \
  "$data/ncu/alexnet-b1-train-fp32.csv" >counters.csv
"$program" predict resnet18 --device h200 --batch 8 -o predict.json >/dev/null
set -- predict.json counters.csv "$data/kineto/resnet18-b16-train.pt.trace.json.gz"
if [ -x "$workers/rooflab-torch" ]; then
  cp "$here/../data/cli/hostile_names.onnx" "$name.onnx"
  ROOFLAB_WORKERS=$workers "$program" measure resnet18 "$name.onnx" --device cuda --per-layer \
    -o measure.html -o records >/dev/null
  "$program" roofline records --per layer -o roofline.html >/dev/null
  set -- "$@" records
fi
"$program" report "$@" -o report.html >/dev/null
exec node "$here/report_test.mjs" "$chromium" "$work"
