#!/usr/bin/env bash
# `rooflab doctor --build-worker` on a GPU machine, with the CUDA toolkit visible and hidden, then a measurement
# with each worker: seconds and times.
#   tools/gpu/build_worker.sh OUT PREFIX     PREFIX: an installed program; logs go to the folder OUT
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
program=$(cd "$2" && pwd)/bin/rooflab
cache=$(mktemp -d)
empty=$(mktemp -d)
trap 'rm -rf "$cache" "$empty"' EXIT

# Runs a command where neither PATH nor the toolkit's folders lead to a CUDA toolkit.
without_toolkit() {
  local path
  path=$(tr ':' '\n' <<<"$PATH" | while read -r folder; do [ -x "$folder/nvcc" ] || echo "$folder"; done | paste -sd:)
  # shellcheck disable=SC2016
  if unshare -m true 2>/dev/null; then
    env -u CUDA_PATH -u CUDA_HOME PATH="$path" unshare -m bash -c '
      empty=$1; shift
      for folder in /usr/local/cuda*; do mount --bind "$empty" "$(readlink -f "$folder")" 2>/dev/null || true; done
      exec "$@"' _ "$empty" "$@"
  else
    env -u CUDA_PATH CUDA_HOME="$empty" PATH="$path" "$@"
  fi
}

# try NAME [PREFIX-COMMAND]
try() {
  local name=$1 began
  shift
  export XDG_CACHE_HOME=$cache/$name
  began=$(date +%s)
  "$@" timeout 400 "$program" doctor --build-worker >"$out/$name.doctor.txt" 2>"$out/$name.build.txt" ||
    { echo "$name: failed"; cat "$out/$name.build.txt"; return 0; }
  echo "$name: $(($(date +%s) - began)) s"
  grep -h 'to build' "$out/$name.build.txt"
  cp "$cache/$name"/rooflab/workers/*/torch-*/configuring.log "$out/$name.configuring.log"
  "$@" timeout 100 "$program" measure resnet18 --device cuda --batch 32 --phase inference -o "$out/$name.json" \
    >"$out/$name.measure.txt" 2>&1 || true
  grep -h '^resnet18 ' "$out/$name.measure.txt" || cat "$out/$name.measure.txt"
}

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc)
export PATH=$PATH:$(dirname "$nvcc")
try hidden without_toolkit
try visible
began=$(date +%s)
"$program" doctor --build-worker 2>&1 >/dev/null | grep 'was there' || echo "the second build was not taken from the cache"
echo "again: $(($(date +%s) - began)) s"
