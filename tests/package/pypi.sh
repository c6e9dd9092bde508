#!/bin/sh
# The wheel as users install it, with the seconds that each way takes: by pip, uvx and pipx from nothing to the
# first prediction, and next to PyPI's PyTorch to the first measurement on a CPU, with the worker that
# `doctor --build-worker` builds against that PyTorch: of today, and of the old C++ ABI (2.6).
#   pypi.sh SOURCE WHEELS WORK     77 (skipped) without a wheel, the environments of tools/python, or PyPI
set -eu
source=$1
skip() {
  echo "skipped: $*"
  exit 77
}
wheel=$(ls "$2"/rooflab-*.whl 2>/dev/null) || skip "no wheel in $2 (the test package.portable makes it)"
for name in today torch26; do
  "$source/tools/python/environment" --there $name >/dev/null 2>&1 ||
    skip "the environment $name is not made: tools/python/environment $name"
done
rm -rf "$3"
mkdir -p "$3/home"
work=$(cd "$3" && pwd)
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install -q --disable-pip-version-check pipx uv || skip "PyPI does not answer"

# Nothing of this machine but the system's programs, PyPI's settings and an empty home.
clean() {
  env -u PYTHONPATH -u ROOFLAB -u ROOFLAB_WORKERS HOME="$work/home" XDG_CACHE_HOME="$work/home/.cache" \
    PATH="$work/tools/bin:/usr/bin:/bin" "$@"
}
now() { date +%s.%N; }
# timed WHAT COMMAND...: runs a shell line and says how long it took.
timed() {
  start=$(now)
  clean sh -ec "$2" >"$work/out" 2>&1 || { cat "$work/out"; echo "$1: failed"; exit 1; }
  awk -v what="$1" -v from="$start" -v to="$(now)" 'BEGIN { printf "%s: %.1f s\n", what, to - from }'
}
first="predict resnet18 --device t4"
says() { grep -q "$1" "$work/out" || { cat "$work/out"; echo "no '$1'"; exit 1; }; }

timed "pip, to the first prediction" "'$python' -m venv '$work/pip'; '$work/pip/bin/pip' install -q --disable-pip-version-check '$wheel'; '$work/pip/bin/rooflab' $first"
says '^resnet18 .* fits'
timed "uvx, to the first prediction" "uvx --from '$wheel' rooflab $first"
says '^resnet18 .* fits'
timed "uvx again" "uvx --from '$wheel' rooflab $first"
timed "pipx, to the first prediction" "pipx install -q '$wheel'; '$work/home/.local/bin/rooflab' $first"
says '^resnet18 .* fits'

# A PyTorch of PyPI in a separate environment, from the packages that tools/python/environment has loaded.
uv_cache=$(dirname "$(dirname "$(dirname "$("$source/tools/python/environment" --there today)")")")/cache
for name in today torch26; do
  own=$work/$name
  clean uv venv -q --python "$python" "$own"
  timed "$name: pip install of PyTorch and the wheel (PyTorch's files are on this disk already)" \
    "UV_CACHE_DIR='$uv_cache' uv pip install -q --python '$own/bin/python' -c '$source/tools/python/$name.txt' torch '$wheel'"
  timed "$name: doctor --build-worker" "PATH='$own/bin':\$PATH '$own/bin/rooflab' doctor --build-worker"
  says '^ok  *rooflab-torch'
  timed "$name: measure on the CPU" \
    "'$own/bin/rooflab' measure resnet18 --device cpu --batch 1 --phase inference --iterations 5"
  says 'resnet18'
  grep -m 1 'PyTorch' "$work/out" || true
done
