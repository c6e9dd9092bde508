# librooflab-inject.so, which the CUDA driver loads into any program under `rooflab profile`. It
# shares nothing with that program: the C++ runtime and fmt are inside, and only its entry points
# are visible.
if(NOT ROOFLAB_HAS_CUPTI)
  message(STATUS "Rooflab: librooflab-inject.so: off, `profile` will say what to install")
  return()
endif()

file(GLOB inject_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/inject/cupti/*.cpp)
add_library(rooflab_inject MODULE ${inject_sources})
rooflab_unity(rooflab_inject)

# The rooms below it once more, as position-independent code with hidden symbols, without sanitizers
# and with fmt inside; TOML, which it does not read, is left out. The linker drops the other
# functions that the library does not call.
foreach(room IN ITEMS base record profile)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/src/base/toml")
  add_library(rooflab_inject_${room} OBJECT EXCLUDE_FROM_ALL ${sources})
  rooflab_unity(rooflab_inject_${room})
  set_target_properties(rooflab_inject_${room} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(rooflab_inject PRIVATE $<TARGET_OBJECTS:rooflab_inject_${room}>)
endforeach()
target_link_libraries(rooflab_inject_base PRIVATE nlohmann_json::nlohmann_json)

foreach(target IN ITEMS rooflab_inject rooflab_inject_base rooflab_inject_record rooflab_inject_profile)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE rooflab_cupti_headers fmt::fmt-header-only)
  target_compile_options(${target} PRIVATE -fvisibility=hidden -ffunction-sections -fdata-sections
                                           -fno-sanitize=all)
endforeach()
target_link_options(rooflab_inject PRIVATE
  -static-libstdc++ -static-libgcc -fno-sanitize=all -Wl,--gc-sections -Wl,-z,nodelete -Wl,-z,defs
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/inject/cupti/exports.map)
set_target_properties(rooflab_inject PROPERTIES
  OUTPUT_NAME rooflab-inject
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/inject/cupti/exports.map
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_dependencies(rooflab_workers rooflab_inject)
# Executable, because the program requires that of workers; Debian installs shared objects without it.
install(TARGETS rooflab_inject DESTINATION libexec/rooflab
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                    WORLD_EXECUTE
        OPTIONAL)
message(STATUS "Rooflab: librooflab-inject.so: on")
