# python: the package in python/, one entry for each file. A file without its PyTorch skips itself. Those that run
# whole programs several times are long.
set(long_python generation_tool profiled_ops programs record_programs)
set(python_environment "${case_environment}" ROOFLAB=$<TARGET_FILE:rooflab_program> PYTHONDONTWRITEBYTECODE=1
                       OMP_NUM_THREADS=1)

# Adds a test that runs the files with the command before it.
function(rooflab_python_test name label file)
  add_test(NAME ${name} COMMAND ${ARGN} ${PROJECT_SOURCE_DIR}/tests/python/run.py ${file})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600 SKIP_RETURN_CODE 77 COST 20
                                          ENVIRONMENT "${python_environment}")
endfunction()

# The name of a test file without `test_`.
function(rooflab_python_name file variable)
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "^test_" "" name ${name})
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

find_program(ROOFLAB_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH
             DOC "Python with PyTorch, for the tests of the package")
find_program(ROOFLAB_PYTHON python3)
file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/test_*.py)
if(ROOFLAB_PYTHON)
  foreach(file IN LISTS python_files)
    rooflab_python_name(${file} name)
    set(label python)
    if(name IN_LIST long_python)
      set(label long)
    endif()
    rooflab_python_test(python.${name} ${label} ${file} ${ROOFLAB_PYTHON})
  endforeach()
endif()

# venv: the same files with newer versions of PyTorch, and tests with other packages, in the environments of
# tools/python. An entry skips itself where its environment is not made; `./run check` makes all that are named here.
# venv_quick: those that `./run test` has, too, 60 s of two cores in all.
file(GLOB package_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/packages/test_*.py)
set(optimum_files ${package_files})
list(FILTER optimum_files INCLUDE REGEX "/test_(optimum|exporters|families)\\.py$")
list(FILTER package_files EXCLUDE REGEX "/test_optimum\\.py$")
set(today_files ${python_files} ${package_files})
set(torch26_files ${today_files})
set(torch22_files ${today_files})
set(quick_python today.recorder today.recorded_programs today.trainers torch26.recorder torch22.recorder)
foreach(environment IN ITEMS today torch26 torch22 optimum)
  foreach(file IN LISTS ${environment}_files)
    rooflab_python_name(${file} name)
    set(label venv)
    if(${environment}.${name} IN_LIST quick_python)
      set(label venv_quick)
    endif()
    rooflab_python_test(python_${environment}.${name} ${label} ${file}
                        sh ${PROJECT_SOURCE_DIR}/tests/python/in_environment.sh ${environment})
  endforeach()
endforeach()
