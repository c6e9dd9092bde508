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
                              PRIVATE JPEG::JPEG PNG::PNG simdjson::simdjson ${ROOFLAB_SQLITE}
                                      ZLIB::ZLIB Threads::Threads
                                      $<$<BOOL:${ROOFLAB_HAS_MD4C}>:md4c::md4c>)
set_target_properties(rooflab PROPERTIES LINKER_LANGUAGE CXX)
