# fuzz/<name>_fuzz.cpp defines LLVMFuzzerTestOneInput; its seeds are the files of fuzz/seeds/<name>/.
# With ROOFLAB_FUZZ it becomes the fuzzer build/fuzz/fuzz/<name>_fuzz, which ctest runs for ten
# seconds; for a long run call it by hand. Every other build with tests runs only its seeds, after the
# target rooflab_fuzzers.
# fuzz/<name>.dict, if it is there, has words for it.
if(NOT ROOFLAB_FUZZ AND NOT BUILD_TESTING)
  return()
endif()
if(ROOFLAB_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "ROOFLAB_FUZZ needs clang++ (libFuzzer): cmake --preset fuzz")
endif()

add_custom_target(rooflab_fuzzers)
if(NOT ROOFLAB_FUZZ)
  add_library(rooflab_seed_run OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/fuzz/seed_run.cpp)
endif()
file(GLOB fuzz_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cpp)
foreach(file IN LISTS fuzz_files)
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "_fuzz$" "" reader ${name})
  set(seeds ${CMAKE_SOURCE_DIR}/fuzz/seeds/${reader})
  if(NOT IS_DIRECTORY ${seeds})
    message(FATAL_ERROR "${file} has no seeds: put at least one file into ${seeds}")
  endif()
  set(words ${CMAKE_SOURCE_DIR}/fuzz/${reader}.dict)
  if(reader STREQUAL "onnx_file")
    list(APPEND seeds ${CMAKE_SOURCE_DIR}/fuzz/seeds/onnx_reader)
  elseif(reader STREQUAL "written_file")
    list(APPEND seeds ${CMAKE_SOURCE_DIR}/fuzz/seeds/result_reader)
  endif()
  if(reader MATCHES "^(result_reader|own_file|record_reader|written_file)$")  # they share their keys
    set(words ${CMAKE_SOURCE_DIR}/fuzz/own_json.dict)
    list(APPEND seeds ${CMAKE_SOURCE_DIR}/tests/data/schema_1)  # the format's first version
  endif()
  set(dictionary "")
  if(EXISTS ${words})
    set(dictionary -dict=${words})
  endif()
  add_executable(${name} ${file})
  # The library, of which the linker takes what a fuzzer reaches.
  target_link_libraries(${name} PRIVATE rooflab)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(rooflab_fuzzers ${name})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  if(ROOFLAB_FUZZ)
    set(corpus ${CMAKE_BINARY_DIR}/fuzz/corpus/${name})
    file(MAKE_DIRECTORY ${corpus})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${reader} COMMAND ${name} -max_total_time=10 -rss_limit_mb=1024 ${dictionary}
                                         ${corpus} ${seeds}
             WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  else()
    target_link_libraries(${name} PRIVATE rooflab_seed_run)
    add_test(NAME fuzz.${reader} COMMAND ${name} ${seeds})
  endif()
  set_tests_properties(fuzz.${reader} PROPERTIES LABELS fuzz TIMEOUT 120)
endforeach()
