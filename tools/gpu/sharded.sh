#!/usr/bin/env bash
# Steps of a decoder in the shape of Llama-3.2-1B on two GPUs, measured, recorded and predicted.
#   tools/gpu/sharded.sh OUT ROOFLAB [OPTION]...
# ROOFLAB is the program; OPTIONs are those of sharded_step.py, which says what is measured. OUT gets
#   probed.toml       the calibration of this GPU with the times of its links, probed here, and the
#                     lower ones of its issue costs and those of this host
#   host.json         the issue costs of this host
#   measured.jsonl    a row for each step: one device, data parallel, fully sharded, tensor parallel
#   recordings.tar    what rank 0 ran
#   predicted.json    `rooflab predict` of the recordings with probed.toml; predicted_none.json without
#                     the host's part
#   table.md          measured and predicted
#   log.txt           what the programs said
# PROBE=FILE takes that calibration in place of probing the links. It takes four to seven minutes.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
shift 2
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$here/../..
export PYTHONPATH=$root/python:$root/tests/python${PYTHONPATH:+:$PYTHONPATH}
export ROOFLAB=$rooflab
python=${PYTHON:-python3}
cd "$out"
: >log.txt
rm -f measured.jsonl

name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>>log.txt | head -1)
case $name in
  *H200*) known=h200-sxm ;;
  *H100*) known=h100-sxm ;;
  *) known= ;;
esac
echo "GPU: ${name:-none}, calibration: ${known:-none}" | tee -a log.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${PROBE:-}" ]; then
  cp "$(readlink -f "$PROBE")" probed.toml
elif [ -n "$known" ]; then
  timeout 170 "$rooflab" probe --links --add "$root/data/calibrations/$known.toml" \
    --save probed.toml >"$work/links.txt" 2>>log.txt || echo "links: exit $?" | tee -a log.txt
  cat "$work/links.txt" >>log.txt 2>/dev/null
  grep -h -A1 'overlap\.' probed.toml >>log.txt 2>/dev/null
fi

timeout 90 "$python" "$here/../pytorch_host.py" host.json --seconds 15 2>>log.txt ||
  echo "host: exit $?" | tee -a log.txt
if [ -s probed.toml ]; then
  timeout 90 "$rooflab" probe --only host --python "$python" --add probed.toml --save probed.toml \
    >>log.txt 2>&1 || echo "probe of the host: exit $?" | tee -a log.txt
fi

timeout 270 "$python" "$here/sharded_step.py" "$work" "$@" 2>>log.txt | tee -a log.txt
mv "$work/measured.jsonl" . 2>>log.txt
recordings=()
for kind in one ddp fsdp tp; do
  [ ! -s "$work/$kind.rec.jsonl.gz" ] || recordings+=("$kind.rec.jsonl.gz")
done
if [ ${#recordings[@]} -gt 0 ]; then
  cd "$work" || exit 1
  tar -cf "$out/recordings.tar" "${recordings[@]}"
  device=${known:-h100-sxm}
  basis=()
  [ ! -s "$out/probed.toml" ] || basis=(--calibration "$out/probed.toml")
  timeout 60 "$rooflab" predict "${recordings[@]}" --device "$device" "${basis[@]}" \
    --format json >"$out/predicted.json" 2>>"$out/log.txt" || echo "predict: exit $?" | tee -a "$out/log.txt"
  timeout 60 "$rooflab" predict "${recordings[@]}" --device "$device" "${basis[@]}" \
    --issued-by none --format json >"$out/predicted_none.json" 2>>"$out/log.txt"
  timeout 60 "$rooflab" predict "${recordings[@]}" --device "$device" "${basis[@]}" --notes \
    >>"$out/log.txt" 2>&1
  cd "$out" || exit 1
  "$python" "$here/sharded_step.py" . --table predicted.json 2>>log.txt | tee table.md
fi
ls -l "$out"
