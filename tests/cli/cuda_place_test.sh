#!/bin/sh
# tools/cuda_place in a separate tree: which folder it takes, and what it makes of NVIDIA's packages, with a
# pip of this test. Exit code 77, a skip, where /usr/local/cuda is there: it would be the answer.
#   cuda_place_test.sh SOURCE
set -eu
if [ -e /usr/local/cuda ]; then echo "/usr/local/cuda is there"; exit 77; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/bin"
cp "$1/tools/cuda_place" "$1/tools/cuda_packages.txt" "$work/tree/tools/"
unset CUDA_HOME CUDA_PATH
fail() { echo "cuda_place_test: $1"; cat "$work/out" "$work/err" 2>/dev/null; exit 1; }

# place EXPECTED-EXIT-CODE EXPECTED-OUTPUT ARGUMENT...
place() {
  expected=$1 output=$2 code=0
  shift 2
  PATH=/usr/bin:/bin PYTHON=$work/bin/python "$work/tree/tools/cuda_place" "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$expected" ] || fail "cuda_place $*: exit code $code, not $expected"
  [ "$(cat "$work/out")" = "$output" ] || fail "cuda_place $*: not '$output'"
}
tells() { grep -qF -- "$1" "$work/err" || fail "no '$1' on stderr"; }

toolkit() { # FOLDER: all that a complete one has
  mkdir -p "$1/bin" "$1/include/nvtx3" "$1/extras/CUPTI/include"
  : >"$1/bin/nvcc"
  chmod +x "$1/bin/nvcc"
  : >"$1/include/cuda_runtime.h"
  : >"$1/include/cublasLt.h"
  : >"$1/include/nvtx3/nvToolsExt.h"
  : >"$1/extras/CUPTI/include/cupti_range_profiler.h"
}

place 1 ''
tells 'no complete CUDA 13 in'
place 2 '' --install

toolkit "$work/toolkit"
CUDA_HOME=$work/toolkit place 0 "$work/toolkit"
(cd "$work" && CUDA_HOME=toolkit place 1 '')  # another folder in each working folder
CUDA_HOME=$work/none CUDA_PATH=$work/toolkit place 0 "$work/toolkit"
rm "$work/toolkit/extras/CUPTI/include/cupti_range_profiler.h"  # CUDA 12
CUDA_HOME=$work/toolkit place 1 ''

# A pip that has no network leaves nothing.
cat >"$work/bin/python" <<'END'
#!/bin/sh
echo "ERROR: Could not find a version" >&2
exit 1
END
chmod +x "$work/bin/python"
place 1 '' --get
tells 'pip says: ERROR: Could not find a version'
[ -z "$(ls -A "$work/tree/.deps")" ] || fail "a failed download left something"

# A pip that installs the packages as NVIDIA lays them; it notes each call.
cat >"$work/bin/python" <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
while [ \$# -gt 1 ]; do
  [ "\$1" = --target ] && target=\$2
  shift
done
cmp -s "\$1" "$work/tree/tools/cuda_packages.txt" || exit 1
home=\$target/nvidia/cu13
mkdir -p "\$home/bin" "\$home/lib" "\$home/include/nvtx3" "\$target/nvidia_cuda_nvcc-13.dist-info/licenses"
: >"\$home/bin/nvcc"
chmod +x "\$home/bin/nvcc"
for file in include/cuda_runtime.h include/cublasLt.h include/nvtx3/nvToolsExt.h include/cupti_range_profiler.h \
  lib/libcublas.so.13 lib/libcublasLt.so.13 lib/libcupti.so.13; do
  : >"\$home/\$file"
done
: >"\$target/nvidia_cuda_nvcc-13.dist-info/licenses/License.txt"
END
own=$work/tree/.deps/cuda
place 0 "$own" --get
[ "$(ls "$own/lib64/")" = libcupti.so.13 ] || fail "lib64 is not the libraries without cuBLAS"
[ -f "$own/licenses/License.txt" ] || fail "no licence"
[ ! -e "$own.part" ] || fail "the download is still there"
place 0 "$own" --get
place 0 "$own"
[ "$(wc -l <"$work/calls")" = 1 ] || fail "what was there was loaded again"
CUDA_HOME=$work/toolkit place 0 "$own"  # an incomplete one does not count

# Other versions: what is there is not theirs.
echo "# another" >>"$work/tree/tools/cuda_packages.txt"
place 1 ''
place 0 "$own" --get
[ "$(wc -l <"$work/calls")" = 2 ] || fail "other versions were not loaded"
