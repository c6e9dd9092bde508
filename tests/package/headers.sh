#!/bin/sh
# Public headers as users compile them: without a warning, also with the C++ ABI of PyTorch's wheels before 2.7.
#   headers.sh SOURCE together|alone|designated [COMPILER...]
#     together: one text with all; alone: each by itself; designated: each struct made with `{.member = ...}`
set -eu
cd "$1"
way=$2
shift 2
[ $# -gt 0 ] || set -- c++
text=$(mktemp --suffix=.cpp)
trap 'rm -f "$text"' EXIT
headers=$(cd include && find rooflab -name '*.hpp' | LC_ALL=C sort)
status=0
compiled() { # COMPILER FLAG...
  "$@" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude "$text" || status=1
}
if [ "$way" = together ]; then # rooflab.hpp has all of them
  printf '#include "rooflab/rooflab.hpp"\n' >"$text"
  seen=$(c++ -std=c++20 -MM -Iinclude "$text" | tr -d '\\' | tr ' ' '\n' | sed -n 's#.*include/rooflab/#rooflab/#p' | LC_ALL=C sort)
  [ "$seen" = "$headers" ] || { echo "headers: rooflab.hpp does not include:"; printf '%s\n' "$headers" "$seen" | sort | uniq -u; status=1; }
fi
for compiler in "$@"; do
  command -v "$compiler" >/dev/null || { echo "headers: no $compiler here: skipped"; continue; }
  if [ "$way" = designated ]; then
    "${PYTHON:-/usr/bin/python3}" tests/package/designated.py include >"$text"
    compiled "$compiler"
  elif [ "$way" = together ]; then
    printf '#include "%s"\n' $headers >"$text"
    compiled "$compiler" -D_GLIBCXX_USE_CXX11_ABI=0
  else
    for header in $headers; do
      printf '#include "%s"\n' "$header" >"$text"
      compiled "$compiler"
    done
  fi
done
exit $status
