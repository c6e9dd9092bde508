# librooflab-inject.so, which the CUDA driver loads into any program under `rooflab profile`. It
# shares nothing with that program: the C++ runtime and fmt are inside, and nothing but its entry
# points can be seen.
if(NOT ROOFLAB_HAS_CUPTI)
  message(STATUS "Rooflab: librooflab-inject.so: off, `profile` will say what to install")
  return()
endif()

file(GLOB inject_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/inject/cupti/*.cpp
                                           ${CMAKE_SOURCE_DIR}/src/counters/cupti/*.cpp)
foreach(name IN ITEMS counter_fault counting_plan metric_plan profile_request profile_writer step_detector)
  list(APPEND inject_sources ${CMAKE_SOURCE_DIR}/src/counters/${name}.cpp)
endforeach()
list(APPEND inject_sources ${CMAKE_SOURCE_DIR}/src/record/counter_chip.cpp
                           ${CMAKE_SOURCE_DIR}/src/record/counter_metric.cpp
                           ${CMAKE_SOURCE_DIR}/src/base/text.cpp
                           ${CMAKE_SOURCE_DIR}/src/base/quantity.cpp
                           ${CMAKE_SOURCE_DIR}/src/base/error.cpp)
add_library(rooflab_inject MODULE ${inject_sources})
rooflab_unity(rooflab_inject)
target_include_directories(rooflab_inject PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(rooflab_inject PRIVATE rooflab_cupti_headers fmt::fmt-header-only)
target_compile_options(rooflab_inject PRIVATE -fvisibility=hidden -fno-sanitize=all)
target_link_options(rooflab_inject PRIVATE
  -static-libstdc++ -static-libgcc -fno-sanitize=all -Wl,-z,nodelete -Wl,-z,defs
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/inject/cupti/exports.map)
set_target_properties(rooflab_inject PROPERTIES
  OUTPUT_NAME rooflab-inject
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/inject/cupti/exports.map
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_dependencies(rooflab_workers rooflab_inject)
# Executable, as the program looks for its workers: Debian installs shared objects without that.
install(TARGETS rooflab_inject DESTINATION libexec/rooflab
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                    WORLD_EXECUTE
        OPTIONAL)
message(STATUS "Rooflab: librooflab-inject.so: on")
