# Worker executables next to the program: separate processes for code that needs heavy third parties.
add_custom_target(rooflab_workers)  # builds every worker that this build has
include(cmake/probe_worker.cmake)   # rooflab-probe; before libtorch, which changes CUDA's flags
include(cmake/torch_worker.cmake)   # rooflab-torch, where libtorch is
