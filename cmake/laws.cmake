# laws: answers to drawn questions, held against laws (docs/reliability.md). Some draws in `./run test`; many of
# two seeds, and faults put back into the code, in `./run check`.
if(NOT BUILD_TESTING OR NOT ROOFLAB_PYTHON)
  return()
endif()
set(laws ${PROJECT_SOURCE_DIR}/tests/laws)
set(hold ${ROOFLAB_PYTHON} ${laws}/rooflab_laws --program $<TARGET_FILE:rooflab_program>)
add_test(NAME laws.quick COMMAND ${hold} --draws 200 --seed 3)
add_test(NAME laws.first COMMAND ${hold} --draws 20000 --seed 1)
add_test(NAME laws.second COMMAND ${hold} --draws 20000 --seed 2)
add_test(NAME laws.faults COMMAND ${ROOFLAB_PYTHON} ${laws}/put_back --compiler ${CMAKE_CXX_COMPILER}
                                  --work ${PROJECT_BINARY_DIR}/laws-faults)
add_test(NAME laws.places COMMAND ${ROOFLAB_PYTHON} ${laws}/put_back)
set(long laws.first laws.second laws.faults)
set_tests_properties(laws.quick laws.places PROPERTIES LABELS laws TIMEOUT 300 COST 30)
set_tests_properties(${long} PROPERTIES LABELS "laws;long" TIMEOUT 7200)
set_tests_properties(laws.quick ${long} PROPERTIES PROCESSORS 2 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
