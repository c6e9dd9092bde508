# CONTRIBUTING.md says what each is for; tools/layers.txt which room includes it.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Where only simdjson's header and library are there, without its CMake package.
find_package(simdjson CONFIG QUIET)
if(NOT simdjson_FOUND)
  find_path(ROOFLAB_SIMDJSON_INCLUDE simdjson.h REQUIRED)
  find_library(ROOFLAB_SIMDJSON_LIBRARY simdjson REQUIRED)
  add_library(simdjson::simdjson UNKNOWN IMPORTED)
  set_target_properties(simdjson::simdjson PROPERTIES
    IMPORTED_LOCATION ${ROOFLAB_SIMDJSON_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ROOFLAB_SIMDJSON_INCLUDE})
endif()

# toml++ and protozero are used as headers: no library of theirs is linked.
find_path(ROOFLAB_TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(rooflab_tomlplusplus INTERFACE)
target_include_directories(rooflab_tomlplusplus SYSTEM INTERFACE ${ROOFLAB_TOMLPLUSPLUS_INCLUDE})

find_path(ROOFLAB_PROTOZERO_INCLUDE protozero/pbf_reader.hpp REQUIRED)
add_library(rooflab_protozero INTERFACE)
target_include_directories(rooflab_protozero SYSTEM INTERFACE ${ROOFLAB_PROTOZERO_INCLUDE})
