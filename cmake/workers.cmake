# Worker executables, beside the program: what needs heavy third parties happens in processes of its
# own.
add_custom_target(rooflab_workers)  # builds every worker that this build has
include(cmake/probe_worker.cmake)   # rooflab-probe; before libtorch, which changes CUDA's flags
include(cmake/torch_worker.cmake)   # rooflab-torch, where libtorch is
