# rooflab-probe: micro-benchmarks. Its CPU part is always built, its CUDA part where a CUDA compiler
# is found; ROOFLAB_CUDA is AUTO, ON or OFF. ROOFLAB_CUDA_ARCHITECTURES overrides what it is
# compiled for.

set(probe_cuda FALSE)
set(probe_kind "CPU only (ROOFLAB_CUDA=OFF)")
if(NOT ROOFLAB_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(ROOFLAB_NVCC nvcc HINTS ${ROOFLAB_CUDA_PLACES} PATHS ${ROOFLAB_OWN_CUDA} PATH_SUFFIXES bin)
    if(ROOFLAB_NVCC)
      set(CMAKE_CUDA_COMPILER ${ROOFLAB_NVCC})
    endif()
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75)  # to try the compiler with: CUDA 10 to 13 know it
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  set(probe_kind "CPU only, no CUDA compiler was found")
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # Machine code for the large GPUs, and PTX that the driver of any later than Turing compiles on its
    # first run. CUDA 12 is the last for Pascal and Volta, CUDA 11 for Kepler: docs/gpu.md.
    set(architectures 75-virtual 80-real 90-real)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
      list(PREPEND architectures 60-virtual 70-real)
    endif()
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      list(PREPEND architectures 37-real)
    endif()
    set(ROOFLAB_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
        "What the CUDA part of rooflab-probe is compiled for")
    find_path(ROOFLAB_CUBLAS_INCLUDE cublasLt.h HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    set(probe_kind "CPU only, cublasLt.h was not found")
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 11.8)
      set(probe_kind "CPU only, CUDA ${CMAKE_CUDA_COMPILER_VERSION} has no cuda_fp8.h (11.8 has it)")
    elseif(ROOFLAB_CUBLAS_INCLUDE)
      set(probe_cuda TRUE)
      set(probe_kind "CPU and CUDA ${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
  endif()
  if(ROOFLAB_CUDA STREQUAL "ON" AND NOT probe_cuda)
    message(FATAL_ERROR "rooflab-probe: ${probe_kind}: set CUDA_HOME, or run tools/cuda_place --get")
  endif()
endif()

file(GLOB probe_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workers/probe/*.cpp)
if(probe_cuda)
  list(FILTER probe_sources EXCLUDE REGEX "/no_cuda\\.cpp$")
else()
  list(FILTER probe_sources EXCLUDE REGEX "/cuda_[a-z_]*\\.cpp$")
endif()
add_executable(rooflab_probe_worker ${probe_sources})
rooflab_unity(rooflab_probe_worker)
target_link_libraries(rooflab_probe_worker PRIVATE rooflab_engine rooflab_monitor rooflab_graph
                                            rooflab_device rooflab_record ${ROOFLAB_GROUND}
                                            Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(rooflab_probe_worker PROPERTIES
  OUTPUT_NAME rooflab-probe
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# The loops are measured, so they are fast in every build. ThreadSanitizer does not know GCC's OpenMP
# and reports races that do not exist.
set_source_files_properties(${PROJECT_SOURCE_DIR}/workers/probe/host_loops.cpp PROPERTIES
                            COMPILE_OPTIONS "-O3;-U_GLIBCXX_ASSERTIONS;-Wno-unknown-pragmas")
find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND AND NOT ROOFLAB_SANITIZE MATCHES "thread")
  target_link_libraries(rooflab_probe_worker PRIVATE OpenMP::OpenMP_CXX)
  set(probe_threads "OpenMP")
else()
  set(probe_threads "one thread")
endif()

if(probe_cuda)
  # Kernels apart from the host's code: they see plain headers of C++17 and none of the warnings and
  # sanitizers that are meant for the host's compiler.
  file(GLOB probe_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workers/probe/*.cu)
  add_library(rooflab_probe_kernels OBJECT ${probe_kernels})
  set_target_properties(rooflab_probe_kernels PROPERTIES
    COMPILE_OPTIONS "-O3;-Xcompiler=-Wall,-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
    CUDA_STANDARD 17
    CUDA_STANDARD_REQUIRED ON
    CUDA_ARCHITECTURES "${ROOFLAB_CUDA_ARCHITECTURES}"
    CUDA_RUNTIME_LIBRARY Static)
  set_target_properties(rooflab_probe_worker PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  target_link_libraries(rooflab_probe_worker PRIVATE rooflab_probe_kernels)
  target_include_directories(rooflab_probe_worker SYSTEM PRIVATE
                             ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
endif()
add_dependencies(rooflab_workers rooflab_probe_worker)
install(TARGETS rooflab_probe_worker DESTINATION libexec/rooflab COMPONENT probe OPTIONAL)
message(STATUS "Rooflab: rooflab-probe: ${probe_kind}, ${probe_threads}")
