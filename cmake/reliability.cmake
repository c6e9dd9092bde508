# tests/sandbox runs programs with bounds; tests/mutator feeds the program damaged files;
# tests/faults kills it and lets calls of the system fail under it; tests/hostile feeds it names that
# are made to do harm. docs/reliability.md says what each asserts. Short runs in `./run test`, long
# ones (label long) in `./run check`.
if(NOT BUILD_TESTING)
  return()
endif()

function(rooflab_harness name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/fault_library\\.cpp$")
  add_executable(${name} ${sources})
  rooflab_unity(${name})
  target_link_libraries(${name} PRIVATE ${ROOFLAB_GROUND} rooflab_sandbox)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ROOFLAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_dependencies(${name} rooflab_program rooflab_fake_worker)
endfunction()

file(GLOB sandbox_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/sandbox/*.cpp)
add_library(rooflab_sandbox OBJECT ${sandbox_sources})
rooflab_unity(rooflab_sandbox)
target_link_libraries(rooflab_sandbox PUBLIC ${ROOFLAB_GROUND})
target_include_directories(rooflab_sandbox PUBLIC ${PROJECT_SOURCE_DIR}/tests)

# Names that are made to do harm, in files, in a browser and in LaTeX.
set(hostile ${PROJECT_SOURCE_DIR}/tests/hostile)
set(hostile_work ${PROJECT_BINARY_DIR}/hostile-test)
add_test(NAME hostile.make COMMAND sh ${hostile}/make.sh $<TARGET_FILE:rooflab_program>
                                   ${fake_workers} ${hostile_work})
add_test(NAME hostile.text COMMAND sh ${hostile}/run.sh ${hostile_work})
add_test(NAME hostile.markdown COMMAND sh ${hostile}/run.sh ${hostile_work} cmark-gfm)
add_test(NAME hostile.pages COMMAND sh ${PROJECT_SOURCE_DIR}/tests/browser/hostile.sh
                                    $<TARGET_FILE:rooflab_program> ${hostile_work})
set_tests_properties(hostile.make hostile.text PROPERTIES LABELS cli)
set_tests_properties(hostile.markdown PROPERTIES LABELS long)
set_tests_properties(hostile.pages PROPERTIES LABELS browser)
set(hostile_tests hostile.text hostile.markdown hostile.pages)
set_tests_properties(hostile.make PROPERTIES FIXTURES_SETUP hostile_outputs COST 20)
set_tests_properties(${hostile_tests} PROPERTIES FIXTURES_REQUIRED hostile_outputs)
set_tests_properties(hostile.make ${hostile_tests} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)

# Sanitizers reserve more addresses than any limit allows.
rooflab_harness(rooflab_mutator mutator)
set(mutate rooflab_mutator --program $<TARGET_FILE:rooflab_program> --workers ${fake_workers}
           --keep ${PROJECT_BINARY_DIR}/mutator-failures)
if(ROOFLAB_SANITIZE)
  list(APPEND mutate --no-memory-limit)
endif()
add_test(NAME mutator.quick COMMAND ${mutate} --runs 100)
add_test(NAME mutator.long COMMAND ${mutate} --seed 2 --seconds 120)
set_tests_properties(mutator.quick PROPERTIES LABELS mutator TIMEOUT 600)
set_tests_properties(mutator.long PROPERTIES LABELS long TIMEOUT 900)

# The library would have to come before that of the sanitizer, and has nothing of it.
if(ROOFLAB_SANITIZE)
  return()
endif()
add_library(rooflab_fault MODULE ${PROJECT_SOURCE_DIR}/tests/faults/fault_library.cpp)
target_compile_options(rooflab_fault PRIVATE -fno-exceptions -fno-rtti)
target_link_options(rooflab_fault PRIVATE -Wl,--as-needed)
target_link_libraries(rooflab_fault PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(rooflab_fault PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

rooflab_harness(rooflab_faults faults)
add_dependencies(rooflab_faults rooflab_fault)
set(disturb rooflab_faults --program $<TARGET_FILE:rooflab_program>
            --library $<TARGET_FILE:rooflab_fault>)
add_test(NAME faults.quick COMMAND ${disturb} --workers ${fake_workers} --quick)
add_test(NAME faults.kills COMMAND ${disturb} --workers ${fake_workers} --kills 50 --seed 2)
add_test(NAME faults.calls COMMAND ${disturb} --workers ${fake_workers} --faults all --seed 3)
add_test(NAME faults.streams COMMAND ${disturb} --workers ${fake_workers} --streams)
set_tests_properties(faults.quick PROPERTIES LABELS faults TIMEOUT 600)
set_tests_properties(faults.kills faults.calls faults.streams PROPERTIES LABELS long TIMEOUT 3600)
if(TARGET rooflab_torch)
  add_test(NAME faults.real COMMAND ${disturb} --workers $<TARGET_FILE_DIR:rooflab_torch> --real
                                    --kills 10 --faults 20 --streams)
  set_tests_properties(faults.real PROPERTIES LABELS long TIMEOUT 1800)
  # Its times suffer from whatever runs at the same time, and slow it in turn.
  set_tests_properties(faults.real PROPERTIES PROCESSORS 2)
endif()
# The Python package, where it finds PyTorch: a trial takes seconds, most of them to import it.
if(ROOFLAB_PYTHON)
  add_test(NAME faults.python COMMAND ${disturb} --workers ${fake_workers} --python ${ROOFLAB_PYTHON}
                                      --kills 15 --faults 60 --seed 4)
  set_tests_properties(faults.python PROPERTIES LABELS long TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()
# An installed tree, with the workers in its own folder.
set(installed ${PROJECT_BINARY_DIR}/installed-faults)
add_test(NAME faults.install COMMAND sh ${PROJECT_SOURCE_DIR}/tests/faults/install.sh ${CMAKE_COMMAND}
                                     ${PROJECT_BINARY_DIR} ${fake_workers} ${installed})
add_test(NAME faults.installed
         COMMAND rooflab_faults --program ${installed}/bin/rooflab --installed
                 --library $<TARGET_FILE:rooflab_fault> --kills 20 --faults all --seed 5
                 --only study,summary,predict,report,roofline,probe,recording,recorded-study)
set_tests_properties(faults.install faults.installed PROPERTIES LABELS long TIMEOUT 3600)
set_tests_properties(faults.install PROPERTIES FIXTURES_SETUP installed_program)
set_tests_properties(faults.installed PROPERTIES FIXTURES_REQUIRED installed_program)
