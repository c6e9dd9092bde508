#!/usr/bin/env bash
# Builds Rooflab on a machine that is not Debian 12 (a GPU machine, say) and runs its tests.
#   tools/gpu/build.sh OUT [TARGET...]     logs go to the folder OUT; with targets, only builds those
# libtorch is that of python3's torch; .deps/ holds headers and libraries that the machine lacks (docs/gpu.md).
# Tests that need gnuplot, Chromium or packaging tools are left out.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
targets=("$@")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

c++ --version | head -1
[ -d /usr/local/cuda/bin ] && export PATH=/usr/local/cuda/bin:$PATH
torch=$(tools/cmake_places auto)
mapfile -t places < <(printf '%s\n' "$torch" && tools/cmake_places deps)
cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DROOFLAB_BENCH=OFF \
  "${places[@]}" >"$out/configure.log" 2>&1 ||
  { cat "$out/configure.log"; exit 1; }
timeout 400 cmake --build build/gpu ${targets[@]+--target "${targets[@]}"} -- -k 0 >"$out/build.log" 2>&1 || { grep -E 'error|FAILED' "$out/build.log"; exit 1; }
grep 'rooflab-torch' "$out/configure.log"
printf 'warnings: %s\n' "$(grep -c 'warning:' "$out/build.log" || true)"
[ ${#targets[@]} -gt 0 ] && exit 0
# One thread each: as many tests as cores run side by side.
OMP_NUM_THREADS=1 timeout 300 ctest --test-dir build/gpu -j "$(nproc)" -LE 'package|browser|latex|gpu' >"$out/test.log" 2>&1 || true
timeout 120 ctest --test-dir build/gpu -L gpu >>"$out/test.log" 2>&1 || true
grep -E 'tests passed|\(Failed\)|\(Not Run\)' "$out/test.log"
