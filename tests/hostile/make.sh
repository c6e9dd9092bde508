# Makes a folder of files with hostile names (plant.py), and what commands write about them.
#   make.sh PROGRAM WORKERS FOLDER       FOLDER/in has the files, FOLDER/out the outputs
# Exit 77: skipped, with the reason.
set -eu
skip() { echo "skipped: $1"; exit 77; }
command -v python3 >/dev/null || skip "python3 is not installed"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
program=$1
export ROOFLAB_WORKERS="$2"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
rm -rf "$3"
mkdir -p "$3/out"
cd "$3"
"$program" predict resnet18 --device t4 --quiet -o predict.json >/dev/null
"$program" measure resnet18 --device cpu --per-layer --quiet -o measure.json >/dev/null
python3 "$here/plant.py" in predict.json measure.json
cd in

# page NAME COMMAND...: the page, Markdown, CSV and JSON of a command
page() {
  name=$1
  shift
  "$program" "$@" --quiet -o "../out/$name.html" -o "../out/$name.md" -o "../out/$name.csv" \
    -o "../out/$name.json" >/dev/null
}
devices=$(basename -s .toml devices/* | sed 's/^0*\(.\)/hostile-\1/' | paste -sd, -)
page layers summary layers.onnx
page recordings predict recordings/* --device t4
page models predict models/* --device t4
page devices predict alexnet --devices-dir devices --device "$devices"
page trace import trace.json --per kernel --top 0
page kernels import kernels.csv --per kernel --top 0
page summary import summary.csv --per kernel --top 0
page predicted report predict.json --top 0
page measured report measure.json --top 0
page all report predict.json measure.json trace.json kernels.csv --top 0
"$program" roofline models/* --device t4 --quiet -o ../out/roofline.html -o ../out/roofline.svg \
  -o ../out/roofline.png -o ../out/roofline.pdf >/dev/null
"$program" study run study.toml --quiet -o ../study >/dev/null
for ending in html md json; do cp "../study/study/report.$ending" "../out/study.$ending"; done
cp ../study/study/tables/every-case.csv ../out/study.csv
cp ../study/study/charts/*.svg ../out
for name in 'next; touch pwned #' "it's"; do
  "$program" study new "$name.toml" 2>>../out/said.txt
done
