#!/bin/sh
# The way to a GPU, as far as it goes without one: the scripts parse, tools/cmake_places says what CMake
# needs, with a python3 and an nvcc of this test, and the notebook is one whose cells parse (exit code 77, a
# skip, where python3 is missing for that).
#   gpu_way_test.sh SOURCE
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "gpu_way_test: $1"; cat "$work/out" "$work/err" 2>/dev/null; exit 1; }

for script in run tools/cmake_places tools/gpu/build.sh tools/slurm/measure.sbatch; do
  bash -n "$script" || fail "$script does not parse"
done

# places EXPECTED-EXIT-CODE ARGUMENT: runs tools/cmake_places with $work/bin first in PATH.
places() {
  code=0
  PATH=$work/bin:$PATH tools/cmake_places "$2" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$1" ] || fail "tools/cmake_places $2: exit code $code, not $1"
}
says() { grep -qxF -- "$2" "$work/$1" || fail "no line '$2' in $1"; }
tells() { grep -qF -- "$2" "$work/$1" || fail "no '$2' in $1"; }
silent() { if grep -qF -- "$2" "$work/$1"; then fail "'$2' in $1"; fi; }
program() { # NAME, its text from stdin
  { echo '#!/bin/sh'; cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
mkdir -p "$work/bin" "$work/torch/share/cmake/Torch" "$work/empty"
: >"$work/torch/share/cmake/Torch/TorchConfig.cmake"
torch=$(cd "$work/torch" && pwd)

places 0 none
says out "-DROOFLAB_TORCH=OFF"
for folder in "$torch" "$torch/share/cmake"; do
  places 0 "$folder"
  says out "-DROOFLAB_TORCH=ON"
  says out "-DCMAKE_PREFIX_PATH=$torch/share/cmake"
done
places 2 "$work/empty"
tells err "error: $work/empty holds no Torch/TorchConfig.cmake"
tells err "hint: "

program python3 <<'END'
echo "No module named 'torch'"
exit 1
END
places 2 auto
tells err "cannot import torch: No module named 'torch'"
tells err "pip install torch"

# A PyTorch for CUDA, with the nvcc of another one.
program python3 <<END
printf '%s\n' "version 2.5.1+cu124" "cuda 12.4" "abi old" "cmake $torch/share/cmake" "prefix /usr"
END
program nvcc <<'END'
echo "Cuda compilation tools, release 13.0, V13.0.48"
END
places 0 auto
says out "-DCMAKE_PREFIX_PATH=$torch/share/cmake"
says out "-DCMAKE_CUDA_COMPILER=$work/bin/nvcc"
tells err "PyTorch 2.5.1+cu124 of $work/bin/python3: CUDA 12.4, old C++11 ABI"
tells err "warning: $work/bin/nvcc is of CUDA 13.0, and PyTorch of CUDA 12.4"

# A PyTorch for CPUs needs no nvcc.
program python3 <<END
printf '%s\n' "version 2.11.0+cpu" "cuda none" "abi new" "cmake $torch/share/cmake" "prefix /usr"
END
places 0 auto
tells err "CUDA none, new C++11 ABI"
silent out CUDA

command -v python3 >/dev/null || { echo "no python3: the notebook is not checked"; exit 77; }
python3 - docs/notebooks/gpu.ipynb <<'END'
import ast, json, re, sys

with open(sys.argv[1], encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4, "not nbformat 4"
code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
assert len(code) >= 6, f"only {len(code)} code cells"
for number, cell in enumerate(code, 1):
    assert cell["outputs"] == [] and cell["execution_count"] is None, f"code cell {number} has output"
    text = "".join(cell["source"])
    try:
        ast.parse(re.sub(r"(?m)^(\s*)[!%].*$", r"\1pass", text))
    except SyntaxError as error:
        sys.exit(f"code cell {number}, line {error.lineno}: {error.msg}")
text = "".join(line for cell in code for line in cell["source"])
for step in ("./run build --torch auto", "rooflab doctor", "rooflab predict", "--per-layer", "iframe"):
    assert step in text, f"no step has '{step}'"
END
