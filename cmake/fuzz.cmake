# fuzz/<name>_fuzz.cpp defines LLVMFuzzerTestOneInput and becomes build/fuzz/fuzz/<name>_fuzz, with
# seeds from fuzz/seeds/<name>/. ctest runs each for ten seconds; for a long run call it by hand.
if(NOT ROOFLAB_FUZZ)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "ROOFLAB_FUZZ needs clang++ (libFuzzer): cmake --preset fuzz")
endif()

file(GLOB fuzz_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cpp)
foreach(file IN LISTS fuzz_files)
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "_fuzz$" "" seeds ${name})
  set(seeds ${CMAKE_SOURCE_DIR}/fuzz/seeds/${seeds})
  if(NOT IS_DIRECTORY ${seeds})
    set(seeds "")
  endif()
  set(corpus ${CMAKE_BINARY_DIR}/fuzz/corpus/${name})
  file(MAKE_DIRECTORY ${corpus})
  add_executable(${name} ${file})
  # The rooms that read files; building the others would take the longer half of the time.
  target_link_libraries(${name} PRIVATE rooflab_base rooflab_graph rooflab_device rooflab_record
                                        rooflab_onnx rooflab_import rooflab_profile rooflab_counters
                                        rooflab_data)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_test(NAME fuzz.${name} COMMAND ${name} -max_total_time=10 -rss_limit_mb=1024 ${corpus} ${seeds}
           WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
  list(APPEND fuzzers ${name})
endforeach()
add_custom_target(rooflab_fuzzers DEPENDS ${fuzzers})
