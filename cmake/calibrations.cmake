# data/calibrations/*.toml compiled into the device room, in a form that needs no parsing. A program
# of the build writes it. The sources that read the file and the form are compiled a second time for
# that program, because the room itself contains its output. When cross-compiling,
# CMAKE_CROSSCOMPILING_EMULATOR runs it, as it runs rooflab for its manual page.

add_executable(rooflab_compile_calibrations
  ${PROJECT_SOURCE_DIR}/tools/compile_calibrations.cpp
  ${PROJECT_SOURCE_DIR}/src/device/calibration_reader.cpp
  ${PROJECT_SOURCE_DIR}/src/device/calibration_rows.cpp
  ${PROJECT_SOURCE_DIR}/src/device/compact_archive.cpp
  ${PROJECT_SOURCE_DIR}/src/device/compiled_calibrations.cpp)
rooflab_unity(rooflab_compile_calibrations)
target_link_libraries(rooflab_compile_calibrations PRIVATE ${ROOFLAB_GROUND})

file(GLOB calibration_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/calibrations/*.toml)
list(JOIN calibration_files "\n" lines)
set(calibration_list ${CMAKE_CURRENT_BINARY_DIR}/embed/calibrations.txt)
set(compiled_calibrations ${CMAKE_CURRENT_BINARY_DIR}/embed/compiled_calibrations.cpp)
file(CONFIGURE OUTPUT ${calibration_list} CONTENT "${lines}\n" @ONLY)
add_custom_command(
  OUTPUT ${compiled_calibrations}
  COMMAND rooflab_compile_calibrations ${calibration_list} ${compiled_calibrations}
  DEPENDS rooflab_compile_calibrations ${calibration_files} ${calibration_list}
  COMMENT "Compiling data/calibrations"
  VERBATIM)
# A separate target, so that an edited file compiles nothing else. Clang warns of literals above the 64 KiB
# that the standard asks for; it and GCC take any length.
set_source_files_properties(${compiled_calibrations} PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-overlength-strings)
target_sources(rooflab_device PRIVATE ${compiled_calibrations})
