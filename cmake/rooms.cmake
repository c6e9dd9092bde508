# Every room of tools/layers.txt becomes an OBJECT library that is linked to the rooms it may use
# and to no other. The table names lower rooms only, so a cycle fails here, at configure time.

# For shared objects of others. A static library hides its names there; librooflab.so shows its own
# (library.cmake). Workers built against a PyTorch have fmt inside, whose names libtorch may want to share.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT BUILD_SHARED_LIBS AND NOT ROOFLAB_WORKERS_ONLY)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/layers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/layers.txt layer_lines REGEX "^[a-z_/]+:")
set(ROOFLAB_ROOMS "")         # in the table's order
set(ROOFLAB_WORKER_ROOMS "")  # those that a worker uses, directly or not
foreach(line IN LISTS layer_lines)
  string(REGEX MATCH "^([a-z_/]+):(.*)$" line "${line}")
  set(room ${CMAKE_MATCH_1})
  separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
  if(room MATCHES "/")  # a worker: a separate executable that links rooms
    foreach(used IN LISTS uses)
      list(APPEND ROOFLAB_WORKER_ROOMS ${used} ${below_${used}})
    endforeach()
    continue()
  endif()
  set(below_${room} ${uses})
  foreach(used IN LISTS uses)
    if(NOT used IN_LIST ROOFLAB_ROOMS)
      message(FATAL_ERROR "tools/layers.txt: '${room}' uses '${used}', which is not above it")
    endif()
    list(APPEND below_${room} ${below_${used}})
  endforeach()
  list(APPEND ROOFLAB_ROOMS ${room})
  list(TRANSFORM uses PREPEND rooflab_)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  if(NOT ROOFLAB_HAS_CUPTI)
    list(FILTER sources EXCLUDE REGEX "/src/profile/cupti/")
  endif()
  if(sources)
    add_library(rooflab_${room} OBJECT ${sources})
    if(NOT room STREQUAL "zoo")  # whose files each have their own Config
      rooflab_unity(rooflab_${room})
    endif()
    target_link_libraries(rooflab_${room} PUBLIC ${uses})
  else()  # headers only, or planned
    add_library(rooflab_${room} INTERFACE)
    target_link_libraries(rooflab_${room} INTERFACE ${uses})
  endif()
endforeach()
list(REMOVE_DUPLICATES ROOFLAB_WORKER_ROOMS)
set(ROOFLAB_GROUND ${below_graph})  # what every program of the build links
list(TRANSFORM ROOFLAB_GROUND PREPEND rooflab_)

# The first two are a library's whole parser each, toml++ is also set up by a macro. On the third, behind other
# sources, GCC 13.3 crashes.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/json_text.cpp
                            ${PROJECT_SOURCE_DIR}/src/base/toml_parser.cpp
                            ${PROJECT_SOURCE_DIR}/src/profile/gpm_meter.cpp PROPERTIES
                            SKIP_UNITY_BUILD_INCLUSION ON)

# include/ has what users of the library see, src/<room>/ what other rooms may use too.
target_include_directories(rooflab_base PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(rooflab_base PUBLIC fmt::fmt
                                   PRIVATE nlohmann_json::nlohmann_json rooflab_tomlplusplus)
target_link_libraries(rooflab_system PRIVATE ZLIB::ZLIB)
# Where a program of others finds workers and Plotly: where this is installed, and where Debian's packages are.
target_compile_definitions(rooflab_system PRIVATE ROOFLAB_INSTALL_PREFIXES="${CMAKE_INSTALL_PREFIX}:/usr")
target_link_libraries(rooflab_data PRIVATE JPEG::JPEG PNG::PNG PUBLIC Threads::Threads)
# Program and worker compare theirs.
target_compile_definitions(rooflab_engine PRIVATE ROOFLAB_VERSION="${PROJECT_VERSION}")
if(ROOFLAB_HAS_CUPTI)
  target_link_libraries(rooflab_profile PRIVATE rooflab_cupti_headers)
  target_compile_definitions(rooflab_profile PUBLIC ROOFLAB_HAS_CUPTI)
endif()

file(GLOB device_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/devices/*.toml)
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_device_files FILES ${device_files})
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_link_files
              FILES ${PROJECT_SOURCE_DIR}/data/links.toml)
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_context_files
              FILES ${PROJECT_SOURCE_DIR}/data/driver_contexts.toml)

if(NOT ROOFLAB_WORKERS_ONLY)  # rooms that no worker uses
  target_link_libraries(rooflab_onnx PRIVATE rooflab_protozero)
  target_link_libraries(rooflab_import PRIVATE simdjson::simdjson ${ROOFLAB_SQLITE})
  target_link_libraries(rooflab_predict PRIVATE rooflab_eigen)
  if(ROOFLAB_HAS_MD4C)
    target_link_libraries(rooflab_page PRIVATE md4c::md4c)
    target_compile_definitions(rooflab_page PRIVATE ROOFLAB_HAS_MD4C)
  endif()
  rooflab_embed(rooflab_study FUNCTION rooflab::study::starter_files
                FILES ${PROJECT_SOURCE_DIR}/data/study.toml)
  # A new path, type or op must say what it costs: no `default:` answers for it.
  foreach(room IN ITEMS cost predict schedule)
    target_compile_options(rooflab_${room} PRIVATE -Werror=switch -Wswitch-enum -Werror=switch-enum)
  endforeach()
  # Code that runs once a command: optimising it would cost more than it saves.
  foreach(room IN ITEMS cli page report study task)
    target_compile_options(rooflab_${room} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endforeach()
endif()

# Headers that nearly every source of these includes, parsed once.
if(ROOFLAB_PCH)
  set(common_headers <algorithm> <filesystem> <functional> <map> <optional> <span> <string> <vector>
                     <fmt/core.h>)
  target_precompile_headers(rooflab_base PRIVATE ${common_headers})
  foreach(room IN LISTS ROOFLAB_ROOMS)
    get_target_property(type rooflab_${room} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY" AND NOT room STREQUAL "base")
      target_precompile_headers(rooflab_${room} REUSE_FROM rooflab_base)
    endif()
  endforeach()
endif()
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_VISIBILITY_INLINES_HIDDEN OFF)
