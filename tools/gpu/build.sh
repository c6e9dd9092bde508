#!/usr/bin/env bash
# Builds Rooflab on a machine that is not Debian 12 (a GPU machine, say) and runs its tests.
#   tools/gpu/build.sh OUT        logs go to the folder OUT
# Headers that the machine lacks are taken from .deps/include, which git ignores; on Debian 12
#   mkdir -p .deps/include && cp -r /usr/include/toml++ /usr/include/protozero .deps/include/
# fills it. Tests that need gnuplot, Chromium or packaging tools are left out.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

c++ --version | head -1
cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DROOFLAB_BENCH=OFF \
  -DCMAKE_INCLUDE_PATH="$PWD/.deps/include" >"$out/configure.log" 2>&1 ||
  { cat "$out/configure.log"; exit 1; }
timeout 400 cmake --build build/gpu -- -k 0 >"$out/build.log" 2>&1 || { grep -E 'error|FAILED' "$out/build.log"; exit 1; }
printf 'warnings: %s\n' "$(grep -c 'warning:' "$out/build.log" || true)"
timeout 150 ctest --test-dir build/gpu -j "$(nproc)" -LE 'package|browser' >"$out/test.log" 2>&1 || true
grep -E 'tests passed|\(Failed\)|\(Not Run\)' "$out/test.log"
