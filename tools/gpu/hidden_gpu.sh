#!/usr/bin/env bash
# Records the 68 training programs as if this machine had no GPU, and compares each recording with
# that of a real GPU (tests/data/recordings/gpu).
#   tools/gpu/hidden_gpu.sh OUT [OPTION]...
# OPTIONs are those of record_hidden.py, which says what OUT gets.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(readlink -f "$here/../..")
export CUDA_VISIBLE_DEVICES= PYTHONPATH=$root/python:$root/tests/python:$here${PYTHONPATH:+:$PYTHONPATH}
export OMP_NUM_THREADS=2 HF_HUB_OFFLINE=1

exec timeout --kill-after=10 "${HIDDEN_SECONDS:-540}" \
  python3 "$here/record_hidden.py" "$out" "$root/tests/data/recordings/gpu" "$@"
