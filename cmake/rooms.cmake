# Every room of tools/layers.txt becomes an OBJECT library that is linked to the rooms it may use
# and to no other. The table names lower rooms only, so a cycle fails here, at configure time.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/layers.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/tools/layers.txt layer_lines REGEX "^[a-z_/]+:")
set(ROOFLAB_ROOMS "")  # in the table's order
foreach(line IN LISTS layer_lines)
  string(REGEX MATCH "^([a-z_/]+):(.*)$" line "${line}")
  set(room ${CMAKE_MATCH_1})
  separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
  if(room MATCHES "/")
    continue()  # a worker: an executable of its own that links rooms
  endif()
  foreach(used IN LISTS uses)
    if(NOT used IN_LIST ROOFLAB_ROOMS)
      message(FATAL_ERROR "tools/layers.txt: '${room}' uses '${used}', which is not above it")
    endif()
  endforeach()
  list(APPEND ROOFLAB_ROOMS ${room})
  list(TRANSFORM uses PREPEND rooflab_)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cpp)
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/cli/main.cpp)
  if(NOT ROOFLAB_HAS_CUPTI)
    list(FILTER sources EXCLUDE REGEX "/src/profile/cupti/")
  endif()
  if(sources)
    add_library(rooflab_${room} OBJECT ${sources})
    if(NOT room STREQUAL "zoo")  # whose files each have a Config of their own
      rooflab_unity(rooflab_${room})
    endif()
    target_link_libraries(rooflab_${room} PUBLIC ${uses})
  else()  # headers only, or planned
    add_library(rooflab_${room} INTERFACE)
    target_link_libraries(rooflab_${room} INTERFACE ${uses})
  endif()
endforeach()

# Code that runs once a command: optimising it would cost more than it saves.
foreach(room IN ITEMS cli report study task)
  target_compile_options(rooflab_${room} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endforeach()
# Each is one library's whole parser; toml++ is also set up by a macro.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/json.cpp
                            ${CMAKE_SOURCE_DIR}/src/base/toml_parser.cpp PROPERTIES
                            SKIP_UNITY_BUILD_INCLUSION ON)

# include/ has what users of the library see, src/<room>/ what other rooms may use too.
target_include_directories(rooflab_base PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(rooflab_base PUBLIC fmt::fmt
                                   PRIVATE nlohmann_json::nlohmann_json rooflab_tomlplusplus ZLIB::ZLIB)
target_link_libraries(rooflab_onnx PRIVATE rooflab_protozero)
target_link_libraries(rooflab_import PRIVATE simdjson::simdjson SQLite::SQLite3)
target_link_libraries(rooflab_data PRIVATE JPEG::JPEG PNG::PNG PUBLIC Threads::Threads)
target_link_libraries(rooflab_predict PRIVATE rooflab_eigen)
if(ROOFLAB_HAS_MD4C)
  target_link_libraries(rooflab_report PRIVATE md4c::md4c)
  target_compile_definitions(rooflab_report PRIVATE ROOFLAB_HAS_MD4C)
endif()
# Program and worker compare theirs.
target_compile_definitions(rooflab_engine PRIVATE ROOFLAB_VERSION="${PROJECT_VERSION}")
if(ROOFLAB_HAS_CUPTI)
  target_link_libraries(rooflab_profile PRIVATE rooflab_cupti_headers)
  target_compile_definitions(rooflab_profile PUBLIC ROOFLAB_HAS_CUPTI)
endif()

file(GLOB device_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/devices/*.toml)
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_device_files FILES ${device_files})
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_link_files
              FILES ${CMAKE_SOURCE_DIR}/data/links.toml)
rooflab_embed(rooflab_device FUNCTION rooflab::device::built_in_context_files
              FILES ${CMAKE_SOURCE_DIR}/data/driver_contexts.toml)
rooflab_embed(rooflab_study FUNCTION rooflab::study::starter_files
              FILES ${CMAKE_SOURCE_DIR}/data/study.toml)

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

# The library that others link: all rooms but the command line.
add_library(rooflab STATIC)
add_library(rooflab::rooflab ALIAS rooflab)
foreach(room IN LISTS ROOFLAB_ROOMS)
  get_target_property(type rooflab_${room} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY" AND NOT room STREQUAL "cli")
    target_sources(rooflab PRIVATE $<TARGET_OBJECTS:rooflab_${room}>)
  endif()
endforeach()
target_include_directories(rooflab PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                          $<INSTALL_INTERFACE:include>)
target_compile_features(rooflab PUBLIC cxx_std_20)
target_link_libraries(rooflab PUBLIC fmt::fmt
                              PRIVATE JPEG::JPEG PNG::PNG simdjson::simdjson SQLite::SQLite3
                                      ZLIB::ZLIB Threads::Threads
                                      $<$<BOOL:${ROOFLAB_HAS_MD4C}>:md4c::md4c>)
set_target_properties(rooflab PROPERTIES LINKER_LANGUAGE CXX)
