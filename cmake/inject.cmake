# librooflab-inject.so, which the CUDA driver loads into any program under `rooflab profile`. It
# shares nothing with that program: the C++ runtime and fmt are inside, and only its entry points
# are visible.
if(NOT ROOFLAB_HAS_CUPTI)
  message(STATUS "Rooflab: librooflab-inject.so: off, `profile` will say what to install")
  return()
endif()

# The rooms below it once more, as position-independent code with hidden symbols, without sanitizers
# and with fmt inside: all of profile, and of base and record what that needs. The linker names what
# is missing, and drops the functions that the library does not call.
file(GLOB inject_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/inject/cupti/*.cpp
                                           ${PROJECT_SOURCE_DIR}/src/profile/*.cpp
                                           ${PROJECT_SOURCE_DIR}/src/profile/cupti/*.cpp)
set(inject_parts
  system/byte_source system/environment_variable base/error system/file system/file_descriptor record/counter_metric)
list(TRANSFORM inject_parts REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp")
add_library(rooflab_inject MODULE ${inject_sources} ${inject_parts})
rooflab_unity(rooflab_inject)
target_include_directories(rooflab_inject PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(rooflab_inject PRIVATE rooflab_cupti_headers fmt::fmt-header-only)
target_compile_options(rooflab_inject PRIVATE -fvisibility=hidden -ffunction-sections -fdata-sections
                                              -fno-sanitize=all)
target_link_options(rooflab_inject PRIVATE
  -static-libstdc++ $<$<BOOL:${ROOFLAB_STATIC_LIBGCC}>:-static-libgcc> -fno-sanitize=all -Wl,--gc-sections -Wl,-z,nodelete -Wl,-z,defs
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/inject/cupti/exports.map)
set_target_properties(rooflab_inject PROPERTIES
  OUTPUT_NAME rooflab-inject
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/inject/cupti/exports.map
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_dependencies(rooflab_workers rooflab_inject)
# Executable, because the program requires that of workers; Debian installs shared objects without it.
install(TARGETS rooflab_inject DESTINATION libexec/rooflab COMPONENT program
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                    WORLD_EXECUTE
        OPTIONAL)
message(STATUS "Rooflab: librooflab-inject.so: on")
