#!/bin/sh
# What `./run bench --compare` concludes, on results that are made up; with the argument `peers` the rules and the page
# of `./run bench --peers`. Exit 77, which ctest takes for skipped, without python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v python3 >/dev/null; then
  echo "skipped: no python3, which compares the results of benchmarks"
  exit 77
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/${1:-compare}_test.py"
