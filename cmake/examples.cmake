# examples/<name>.cpp becomes build/<preset>/examples/<name>; tests/examples/*.test runs them and
# finds them in $EXAMPLES, their files in $EXAMPLE_FILES. Label: examples.
if(NOT BUILD_TESTING)
  return()
endif()

add_custom_target(rooflab_examples)
file(GLOB example_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(file IN LISTS example_files)
  cmake_path(GET file STEM name)
  set(target rooflab_example_${name})
  add_executable(${target} ${file})
  target_link_libraries(${target} PRIVATE rooflab)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  add_dependencies(rooflab_examples ${target})
endforeach()

set(example_environment EXAMPLES=${PROJECT_BINARY_DIR}/examples
                        EXAMPLE_FILES=${PROJECT_SOURCE_DIR}/examples
                        ROOFLAB_WORKERS=${fake_workers})
file(GLOB example_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/examples/*.test)
foreach(file IN LISTS example_tests)
  cmake_path(GET file STEM name)
  add_test(NAME examples.${name} COMMAND rooflab_case_runner $<TARGET_FILE:rooflab_program>
                                         ${PROJECT_SOURCE_DIR}/tests/data ${file})
  set_tests_properties(examples.${name} PROPERTIES LABELS examples TIMEOUT 120
                       ENVIRONMENT "${example_environment}")
endforeach()
add_custom_command(TARGET bless POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E env ${example_environment}
          $<TARGET_FILE:rooflab_case_runner> --bless $<TARGET_FILE:rooflab_program>
          ${PROJECT_SOURCE_DIR}/tests/data ${example_tests}
  VERBATIM)
