# The library that others link: all rooms but the command line. BUILD_SHARED_LIBS: librooflab.so.
add_library(rooflab)
add_library(rooflab::rooflab ALIAS rooflab)

# Names of third parties that are compiled into a room: a program that has them too, in another version
# or with other flags, keeps its own.
set(private_names_base toml nlohmann)
set(private_names_onnx protozero)
set(private_names_predict Eigen)
find_program(ROOFLAB_LD ld.bfd)
mark_as_advanced(ROOFLAB_LD)

# The objects of a room as one, in which only the room's own names are seen from outside.
function(rooflab_objects_with_private_names room names result)
  set(object ${PROJECT_BINARY_DIR}/private_names/${room}.o)
  set(localize "")
  foreach(name IN LISTS names)
    string(LENGTH ${name} length)
    list(APPEND localize --localize-symbol=*${length}${name}*)
  endforeach()
  set(objects $<FILTER:$<TARGET_OBJECTS:rooflab_${room}>,EXCLUDE,[.]gch$>)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/private_names
    COMMAND ${ROOFLAB_LD} -r --force-group-allocation -o ${object} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard ${localize} ${object}
    DEPENDS rooflab_${room} ${objects}
    COMMENT "Hiding names of third parties in ${room}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${result} ${object} PARENT_SCOPE)
endfunction()

foreach(room IN LISTS ROOFLAB_ROOMS)
  get_target_property(type rooflab_${room} TYPE)
  if(NOT type STREQUAL "OBJECT_LIBRARY" OR room STREQUAL "cli")
    continue()
  endif()
  set(objects $<TARGET_OBJECTS:rooflab_${room}>)
  if(private_names_${room} AND ROOFLAB_LD AND CMAKE_OBJCOPY AND NOT BUILD_SHARED_LIBS AND NOT ROOFLAB_SANITIZE)
    rooflab_objects_with_private_names(${room} "${private_names_${room}}" objects)
  endif()
  target_sources(rooflab PRIVATE ${objects})
endforeach()
target_include_directories(rooflab PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                          $<INSTALL_INTERFACE:include>)
target_compile_features(rooflab PUBLIC cxx_std_20)
target_link_libraries(rooflab PRIVATE fmt::fmt JPEG::JPEG PNG::PNG simdjson::simdjson ${ROOFLAB_SQLITE}
                                      ZLIB::ZLIB Threads::Threads
                                      $<$<BOOL:${ROOFLAB_HAS_MD4C}>:md4c::md4c>)
set_target_properties(rooflab PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  set(names ${PROJECT_BINARY_DIR}/rooflab.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/rooflab.map.in ${names} @ONLY)
  target_link_options(rooflab PRIVATE LINKER:--version-script=${names})
  set_target_properties(rooflab PROPERTIES LINK_DEPENDS ${names})
endif()
