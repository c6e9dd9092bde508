# rooflab-torch: executes networks. ROOFLAB_TORCH is AUTO (where libtorch is found), ON or OFF.
include(cmake/torch_library.cmake)
if(NOT torch_worker_found)
  message(STATUS "Rooflab: rooflab-torch: off, `measure` will say what to install")
  return()
endif()

file(GLOB torch_worker_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workers/torch/*.cpp)
list(FILTER torch_worker_sources EXCLUDE REGEX "/cuda_[a-z_]*\\.cpp$")
if(NOT ROOFLAB_HAS_CUPTI)
  list(FILTER torch_worker_sources EXCLUDE REGEX "/hardware_counting\\.cpp$")
endif()
if(TARGET torch_cuda)
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workers/torch/cuda_*.cpp)
  list(APPEND torch_worker_sources ${cuda_sources})
  set(torch_kind "with CUDA")
else()
  set(torch_kind "CPU only")
endif()
add_executable(rooflab_torch ${torch_worker_sources})
rooflab_unity(rooflab_torch BATCH 20)
target_link_libraries(rooflab_torch PRIVATE rooflab_engine rooflab_counters rooflab_profile rooflab_monitor
                                            rooflab_data
                                            rooflab_graph rooflab_device rooflab_record
                                            ${ROOFLAB_GROUND})
target_include_directories(rooflab_torch SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
target_link_libraries(rooflab_torch PRIVATE ${TORCH_LIBRARIES})
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(rooflab_torch PRIVATE ${torch_flags} -Wno-deprecated-declarations)
# libtorch 2.x brings headers of another copy of fmt, found before the one that the rooms link:
# header-only, the two live side by side in namespaces of their versions.
target_compile_definitions(rooflab_torch PRIVATE FMT_HEADER_ONLY
                                                 ROOFLAB_VERSION="${PROJECT_VERSION}"
                           $<$<TARGET_EXISTS:torch_cuda>:ROOFLAB_TORCH_CUDA>)

# Data parallel (data_parallel.cpp) uses c10d's own headers. Gloo's come with Debian's libgloo-dev and
# belong to that libtorch; NCCL's with the CUDA toolkit, with pip's nvidia-nccl-cu*, next to the
# libtorch of pip, or with libnccl-dev. Without them, devices of that kind train alone, and the
# worker says so.
find_path(ROOFLAB_GLOO_INCLUDE gloo/config.h PATHS ${TORCH_INCLUDE_DIRS} NO_DEFAULT_PATH)
if(ROOFLAB_GLOO_INCLUDE)
  find_library(ROOFLAB_GLOO_LIBRARY gloo HINTS ${TORCH_INSTALL_PREFIX}/lib)
  target_compile_definitions(rooflab_torch PRIVATE USE_C10D_GLOO ROOFLAB_HAS_GLOO)
  if(ROOFLAB_GLOO_LIBRARY)
    target_link_libraries(rooflab_torch PRIVATE ${ROOFLAB_GLOO_LIBRARY})
  endif()
endif()
set(torch_exchange "")
if(ROOFLAB_GLOO_INCLUDE)
  list(APPEND torch_exchange "Gloo")
endif()
if(TARGET torch_cuda)
  find_path(ROOFLAB_NCCL_INCLUDE nccl.h
            HINTS ${TORCH_INCLUDE_DIRS} ${TORCH_INSTALL_PREFIX}/../nvidia/nccl/include
                  ${CUDAToolkit_INCLUDE_DIRS} ${CUDA_INCLUDE_DIRS} /usr/local/cuda/include)
  if(ROOFLAB_NCCL_INCLUDE)
    target_include_directories(rooflab_torch SYSTEM PRIVATE ${ROOFLAB_NCCL_INCLUDE})
    target_compile_definitions(rooflab_torch PRIVATE USE_C10D_NCCL)
    list(APPEND torch_exchange "NCCL")
  endif()
endif()
if(torch_exchange)
  list(JOIN torch_exchange " and " torch_exchange)
else()
  set(torch_exchange "none")
endif()
# Debian's libtorch-dev lacks one header of c10d's.
find_file(ROOFLAB_AUTOGRAD_CONTEXT torch/csrc/distributed/autograd/context/context.h
          PATHS ${TORCH_INCLUDE_DIRS} NO_DEFAULT_PATH)
if(NOT ROOFLAB_AUTOGRAD_CONTEXT)
  target_include_directories(rooflab_torch SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/workers/torch/shim/c10d)
endif()
# It finds a libtorch outside of the system's folders, installed or not. In a build folder CMake pads this path
# with empty parts, which the loader takes for the current folder: so the final one is there from the start.
set_target_properties(rooflab_torch PROPERTIES
  OUTPUT_NAME rooflab-torch
  INSTALL_RPATH_USE_LINK_PATH ON
  BUILD_WITH_INSTALL_RPATH ON
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# CMake leaves out folders below the sources, where an environment of Python may lie.
set(torch_folders ${TORCH_INSTALL_PREFIX}/lib)
foreach(library IN LISTS TORCH_LIBRARIES)
  if(IS_ABSOLUTE "${library}")
    cmake_path(GET library PARENT_PATH folder)
    list(APPEND torch_folders ${folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES torch_folders)
foreach(folder IN LISTS torch_folders)
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${folder}" NORMALIZE is_below)
  if(is_below)
    set_property(TARGET rooflab_torch APPEND PROPERTY INSTALL_RPATH ${folder})
  endif()
endforeach()
if(ROOFLAB_PCH)
  target_compile_options(rooflab_torch PRIVATE -O0)  # quicker to build; libtorch does the work
  target_precompile_headers(rooflab_torch PRIVATE <ATen/ATen.h>)
endif()
add_dependencies(rooflab_workers rooflab_torch)
install(TARGETS rooflab_torch DESTINATION libexec/rooflab COMPONENT torch OPTIONAL)
message(STATUS "Rooflab: rooflab-torch: libtorch ${Torch_VERSION}, ${torch_kind}, data parallel: ${torch_exchange}")
