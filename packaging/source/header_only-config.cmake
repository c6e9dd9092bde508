# fmt or nlohmann_json as headers alone: PREFIX/lib/cmake/NAME/NAME-config.cmake of a tree that brings them
# along. The file's own name says which.
string(REGEX REPLACE "-config\\.cmake$" "" name "${CMAKE_CURRENT_LIST_FILE}")
cmake_path(GET name FILENAME name)
cmake_path(SET include NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../include")
foreach(target IN ITEMS ${name}::${name} ${name}::${name}-header-only)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${include}")
    if(name STREQUAL "fmt")
      set_target_properties(${target} PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
    endif()
  endif()
endforeach()
