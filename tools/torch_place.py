"""Says where the PyTorch of this Python is and how it was built, a `NAME VALUE` a line.

`rooflab doctor --build-worker` and tools/cmake_places run it. Where the import fails, the reason is the
last line and the exit code is 1.
"""
import pathlib
import sys

try:
    import torch
    import torch.utils
except Exception as error:
    print(str(error).splitlines()[-1] if str(error) else type(error).__name__)
    sys.exit(1)

print("version", torch.__version__)
print("cuda", torch.version.cuda or "none")
print("abi", "new" if torch.compiled_with_cxx11_abi() else "old")
folder = pathlib.Path(torch.__file__).resolve().parent
print("folder", folder)
print("cmake", torch.utils.cmake_prefix_path)
print("prefix", sys.prefix)
# pip puts the headers of CUDA next to PyTorch, in one folder (CUDA 13) or one for each library. Its CUDA 13
# lacks crt/host_defines.h, which Triton brings along.
for pattern in ("nvidia/*/include", "triton/backends/nvidia/include"):
    for include in sorted(folder.parent.glob(pattern)):
        print("include", include)
