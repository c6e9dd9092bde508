# libtorch, for rooflab-torch and its tests: torch_worker_found, Torch_VERSION, TORCH_INCLUDE_DIRS,
# TORCH_LIBRARIES, TORCH_CXX_FLAGS, TORCH_INSTALL_PREFIX, and the target torch_cuda where it has CUDA.
set(torch_worker_found FALSE)
if(ROOFLAB_TORCH STREQUAL "OFF")
  return()
endif()

# A PyTorch's own folder, with the headers of its CUDA. PyTorch's CMake package would ask for the CUDA
# compiler, which nothing here needs, and for a toolkit in one folder, which pip does not install.
if(ROOFLAB_TORCH_FOLDER)
  set(torch_worker_found TRUE)
  set(Torch_VERSION ${ROOFLAB_TORCH_VERSION})
  set(TORCH_INSTALL_PREFIX ${ROOFLAB_TORCH_FOLDER})
  file(REAL_PATH ${ROOFLAB_TORCH_FOLDER}/include/ATen torch_include)  # in Debian's package a link
  cmake_path(GET torch_include PARENT_PATH torch_include)
  set(TORCH_INCLUDE_DIRS ${torch_include} ${torch_include}/torch/csrc/api/include ${ROOFLAB_TORCH_CUDA_INCLUDES})
  set(torch_parts torch torch_cpu c10)
  set(TORCH_CXX_FLAGS "")  # compiler.cmake sets the ABI of all sources
  # torch_cuda is named by no symbol: loading it makes the devices known.
  set(TORCH_LIBRARIES -Wl,--no-as-needed -Wl,--allow-shlib-undefined)
  if(ROOFLAB_TORCH_CUDA_INCLUDES)
    add_library(torch_cuda INTERFACE IMPORTED)
    list(APPEND torch_parts torch_cuda c10_cuda)
    set(cudart_places ${ROOFLAB_TORCH_FOLDER}/lib/libcudart*.so*)
    foreach(include IN LISTS ROOFLAB_TORCH_CUDA_INCLUDES)
      file(REAL_PATH ${include} include)  # a toolkit's is a link to a folder elsewhere
      cmake_path(GET include PARENT_PATH place)
      list(APPEND cudart_places ${place}/lib*/libcudart.so*)
    endforeach()
    file(GLOB cudart ${cudart_places})
    find_path(ROOFLAB_NV_TARGET nv/target PATHS ${ROOFLAB_TORCH_CUDA_INCLUDES} NO_DEFAULT_PATH)
    if(NOT ROOFLAB_NV_TARGET)
      list(APPEND TORCH_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/workers/torch/shim/cuda)
    endif()
    if(NOT cudart)
      message(FATAL_ERROR "libcudart.so is neither in ${ROOFLAB_TORCH_FOLDER}/lib nor next to ${ROOFLAB_TORCH_CUDA_INCLUDES}")
    endif()
    list(GET cudart 0 cudart)
  endif()
  foreach(part IN LISTS torch_parts)
    list(APPEND TORCH_LIBRARIES ${ROOFLAB_TORCH_FOLDER}/lib/lib${part}.so)
  endforeach()
  list(APPEND TORCH_LIBRARIES ${cudart})
  return()
endif()

# libtorch's own configuration warns about parts that are of no use here.
# With CUDA it enables CMake's CUDA language with its own flags and architectures, which are not
# meant for rooflab-probe.
set(cuda_flags "${CMAKE_CUDA_FLAGS}")
set(cuda_architectures "${CMAKE_CUDA_ARCHITECTURES}")
find_package(Torch QUIET)
set(CMAKE_CUDA_FLAGS "${cuda_flags}")
set(CMAKE_CUDA_ARCHITECTURES "${cuda_architectures}")
set(torch_worker_found ${Torch_FOUND})
set(torch_problem "libtorch was not found: apt-get install libtorch-dev libgloo-dev libopenblas0-pthread, or ./run build --torch auto takes that of python3's PyTorch")
# The rooms and the libraries of the system, such as fmt, have the compiler's own std::string.
if(Torch_FOUND AND NOT ROOFLAB_OLD_ABI AND TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  set(torch_worker_found FALSE)
  set(torch_problem "libtorch ${Torch_VERSION} (${TORCH_INSTALL_PREFIX}) has the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0) and cannot be linked: docs/gpu.md lists those with the new one")
endif()
if(ROOFLAB_TORCH STREQUAL "ON" AND NOT torch_worker_found)
  message(FATAL_ERROR "${torch_problem}")
endif()
if(Torch_FOUND AND NOT torch_worker_found)
  message(STATUS "Rooflab: ${torch_problem}")
endif()
