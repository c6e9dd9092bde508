# docs/third_parties.md gives the purpose of each, tools/layers.txt the room that includes it.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # a project that includes this one links them too
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Where CUDA's compiler and headers are looked for before the system's own places, and after them: what
# tools/cuda_place takes from PyPI.
set(ROOFLAB_CUDA_PLACES $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
set(ROOFLAB_OWN_CUDA ${PROJECT_SOURCE_DIR}/.deps/cuda)

# CUPTI is loaded when it is needed: only its headers, from CUDA 13.0 on, are used here, and also those
# of the driver and of NVTX.
set(ROOFLAB_HAS_CUPTI FALSE)
if(NOT ROOFLAB_CUPTI STREQUAL "OFF")
  set(cuda_places ${ROOFLAB_CUDA_PLACES})
  if(ROOFLAB_WORKERS_ONLY)
    set(cuda_places ${ROOFLAB_TORCH_CUDA_INCLUDES})
  endif()
  find_path(ROOFLAB_CUDA_INCLUDE nvtx3/nvToolsExt.h HINTS ${cuda_places} PATHS ${ROOFLAB_OWN_CUDA}
            PATH_SUFFIXES include)
  find_path(ROOFLAB_CUPTI_INCLUDE cupti_range_profiler.h
            HINTS ${cuda_places} PATHS ${ROOFLAB_OWN_CUDA}
            PATH_SUFFIXES include extras/CUPTI/include ../extras/CUPTI/include)
  set(cupti_version 0)
  if(ROOFLAB_CUPTI_INCLUDE)
    file(STRINGS ${ROOFLAB_CUPTI_INCLUDE}/cupti_version.h cupti_version_line
         REGEX "^#define CUPTI_API_VERSION [0-9]+")
    string(REGEX REPLACE ".* ([0-9]+).*" "\\1" cupti_version "${cupti_version_line}")
  endif()
  if(ROOFLAB_CUDA_INCLUDE AND cupti_version GREATER_EQUAL 130000)
    set(ROOFLAB_HAS_CUPTI TRUE)
    add_library(rooflab_cupti_headers INTERFACE)
    target_include_directories(rooflab_cupti_headers SYSTEM INTERFACE
      ${ROOFLAB_CUDA_INCLUDE} ${ROOFLAB_CUPTI_INCLUDE} ${ROOFLAB_TORCH_CUDA_INCLUDES})
    target_link_libraries(rooflab_cupti_headers INTERFACE ${CMAKE_DL_LIBS})
  elseif(ROOFLAB_CUPTI STREQUAL "ON")
    message(FATAL_ERROR "CUPTI's headers (CUDA 13.0 or later) were not found: set CUDA_HOME, or run tools/cuda_place --get")
  endif()
endif()
if(ROOFLAB_HAS_CUPTI)
  message(STATUS "Rooflab: hardware counters: CUPTI's headers in ${ROOFLAB_CUPTI_INCLUDE}")
else()
  message(STATUS "Rooflab: hardware counters: off, CUPTI's headers (CUDA 13.0) were not found (tools/cuda_place --get takes them from PyPI)")
endif()

# Used as headers, as protozero and Eigen below: no library of theirs is linked.
find_path(ROOFLAB_TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(rooflab_tomlplusplus INTERFACE)
target_include_directories(rooflab_tomlplusplus SYSTEM INTERFACE ${ROOFLAB_TOMLPLUSPLUS_INCLUDE})

if(ROOFLAB_WORKERS_ONLY)
  return()
endif()
find_path(ROOFLAB_PROTOZERO_INCLUDE protozero/pbf_reader.hpp REQUIRED)
add_library(rooflab_protozero INTERFACE)
target_include_directories(rooflab_protozero SYSTEM INTERFACE ${ROOFLAB_PROTOZERO_INCLUDE})

find_path(ROOFLAB_EIGEN_INCLUDE Eigen/Dense PATH_SUFFIXES eigen3 REQUIRED)
add_library(rooflab_eigen INTERFACE)
target_include_directories(rooflab_eigen SYSTEM INTERFACE ${ROOFLAB_EIGEN_INCLUDE})

find_package(SQLite3 REQUIRED)
set(ROOFLAB_SQLITE SQLite3::SQLite3)
if(NOT TARGET SQLite3::SQLite3)  # before CMake 4.3
  set(ROOFLAB_SQLITE SQLite::SQLite3)
endif()

# For an installation of simdjson's header and library without its CMake package.
find_package(simdjson CONFIG QUIET)
if(NOT simdjson_FOUND)
  find_path(ROOFLAB_SIMDJSON_INCLUDE simdjson.h REQUIRED)
  find_library(ROOFLAB_SIMDJSON_LIBRARY simdjson REQUIRED)
  add_library(simdjson::simdjson UNKNOWN IMPORTED)
  set_target_properties(simdjson::simdjson PROPERTIES
    IMPORTED_LOCATION ${ROOFLAB_SIMDJSON_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ROOFLAB_SIMDJSON_INCLUDE})
endif()

# md4c renders the texts of a study's author; without it they stand as they are written. Debian's
# CMake package of it asks for files of a second package.
set(ROOFLAB_HAS_MD4C FALSE)
if(NOT ROOFLAB_MD4C STREQUAL "OFF")
  find_path(ROOFLAB_MD4C_INCLUDE md4c.h)
  find_library(ROOFLAB_MD4C_LIBRARY md4c)
  if(ROOFLAB_MD4C_INCLUDE AND ROOFLAB_MD4C_LIBRARY)
    set(ROOFLAB_HAS_MD4C TRUE)
    add_library(md4c::md4c UNKNOWN IMPORTED)
    set_target_properties(md4c::md4c PROPERTIES
      IMPORTED_LOCATION ${ROOFLAB_MD4C_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${ROOFLAB_MD4C_INCLUDE})
  elseif(ROOFLAB_MD4C STREQUAL "ON")
    message(FATAL_ERROR "md4c was not found: install libmd4c-dev")
  endif()
endif()
if(ROOFLAB_HAS_MD4C)
  message(STATUS "Rooflab: Markdown in studies: ${ROOFLAB_MD4C_LIBRARY}")
else()
  message(STATUS "Rooflab: Markdown in studies: off, as it is written (ROOFLAB_MD4C=${ROOFLAB_MD4C}, needs libmd4c-dev)")
endif()
