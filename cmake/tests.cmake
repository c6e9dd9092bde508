# Labels, from quick to slow: unit, cases, cli, package, browser. `ctest -L unit` runs one of them.

add_custom_target(rooflab_unit_tests)  # builds every unit test
if(NOT BUILD_TESTING)
  return()
endif()
find_package(GTest REQUIRED)
include(GoogleTest)

function(rooflab_gtest target label)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE GTest::gtest_main GTest::gmock)
  target_compile_definitions(${target} PRIVATE ROOFLAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 300)
  add_dependencies(rooflab_unit_tests ${target})
endfunction()

# unit: one executable per room; a room's tests may use the rooms above it in tools/layers.txt, so
# that they can be built while a higher room cannot.
set(rooms_so_far "")
foreach(room IN LISTS ROOFLAB_ROOMS)
  list(APPEND rooms_so_far rooflab_${room})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cpp)
  if(tests)
    rooflab_gtest(rooflab_unit_${room} unit ${tests})
    target_link_libraries(rooflab_unit_${room} PRIVATE ${rooms_so_far})
    target_include_directories(rooflab_unit_${room} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    if(room STREQUAL "import")  # the tests write ONNX files
      target_link_libraries(rooflab_unit_${room} PRIVATE rooflab_protozero)
    endif()
  endif()
endforeach()

# unit: the layers, checked over this very tree.
rooflab_gtest(rooflab_layers unit ${CMAKE_SOURCE_DIR}/tests/layers/layer_rules.cpp
                                  ${CMAKE_SOURCE_DIR}/tests/layers/layer_rules_test.cpp)

# cases and cli: text files that run the program; the runner's own behaviour is tested first.
add_executable(rooflab_case_runner ${CMAKE_SOURCE_DIR}/tests/cases/case_runner.cpp)
set_target_properties(rooflab_case_runner PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME cases.runner COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cases/runner_test.sh
                                   $<TARGET_FILE:rooflab_case_runner>)
set_tests_properties(cases.runner PROPERTIES LABELS cases)

foreach(label IN ITEMS cases cli)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${label}/*.test)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    add_test(NAME ${label}.${name} COMMAND rooflab_case_runner $<TARGET_FILE:rooflab_program>
                                           ${CMAKE_SOURCE_DIR}/tests/data ${file})
    set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT 120)
  endforeach()
endforeach()

# `cmake --build build/dev --target bless` rewrites what the text cases expect. Read the diff.
file(GLOB blessed CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cases/*.test
                                    ${CMAKE_SOURCE_DIR}/tests/cli/*.test)
add_custom_target(bless COMMAND rooflab_case_runner --bless $<TARGET_FILE:rooflab_program>
                                ${CMAKE_SOURCE_DIR}/tests/data ${blessed}
                  VERBATIM)

# package: the install tree, moved; the packages, unpacked; a consumer built against them.
foreach(name IN ITEMS install_tree packages)
  add_test(NAME package.${name}
           COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${CMAKE_SOURCE_DIR}
                   -DWORK=${CMAKE_BINARY_DIR}/package-test/${name}
                   -DSANITIZE=${ROOFLAB_SANITIZE}
                   -P ${CMAKE_SOURCE_DIR}/tests/package/${name}.cmake)
  set_tests_properties(package.${name} PROPERTIES LABELS package TIMEOUT 600)
endforeach()

# browser: the report in headless Chromium; skips with a printed reason where there is none.
add_test(NAME browser.report COMMAND sh ${CMAKE_SOURCE_DIR}/tests/browser/run.sh
                                     $<TARGET_FILE:rooflab_program>
                                     ${CMAKE_BINARY_DIR}/browser-test)
set_tests_properties(browser.report PROPERTIES LABELS browser TIMEOUT 300 SKIP_RETURN_CODE 77)
