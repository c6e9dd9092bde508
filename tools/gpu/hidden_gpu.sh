#!/usr/bin/env bash
# Records the 68 training programs as if this machine had no GPU, and compares each recording with
# that of a real GPU.
#   tools/gpu/hidden_gpu.sh OUT [OPTION]...          on `meta`, compared with tests/data/recordings/gpu
#   tools/gpu/hidden_gpu.sh OUT --cpu [OPTION]...    on the CPU at scale small, compared with recordings that
#                                                    this machine's GPU makes first
# OPTIONs are those of record_hidden.py, which says what OUT gets.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(readlink -f "$here/../..")
export PYTHONPATH=$root/python:$root/tests/python:$here${PYTHONPATH:+:$PYTHONPATH}
export OMP_NUM_THREADS=2 HF_HUB_OFFLINE=1
seconds=${HIDDEN_SECONDS:-540}
real=$root/tests/data/recordings/gpu

if [ "${1:-}" = --cpu ]; then
  shift
  seconds=$((seconds / 2))
  real=$(mktemp -d)
  trap 'rm -rf "$real"' EXIT
  timeout --kill-after=10 "$seconds" \
    python3 "$here/record_programs.py" "$real" --scale small --seconds "$seconds" > "$out/gpu.log" 2>&1
  tar -xf "$real/recordings.tar" -C "$real"
  set -- --device cpu --scale small "$@"
fi
CUDA_VISIBLE_DEVICES='' timeout --kill-after=10 "$seconds" \
  python3 "$here/record_hidden.py" "$out" "$real" "$@"
