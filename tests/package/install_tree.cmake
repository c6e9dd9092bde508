# Installs a build, moves the result elsewhere, and uses it as a stranger would: a project that
# finds it, and the program from another folder. No installed file may name the source tree, but for
# sanitized builds, whose run-time reports name the line.
#   cmake -DBUILD= -DSOURCE= -DWORK= -DVERSION= [-DSANITIZE=] -P install_tree.cmake

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

fresh_folder(${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed --strip)
file(RENAME ${WORK}/installed ${WORK}/moved)
foreach(text IN ITEMS share/doc/rooflab/LICENSE share/doc/rooflab/NOTICE share/doc/rooflab/licenses/eigen
                      share/rooflab/published_ops/neusight.toml)
  if(NOT EXISTS ${WORK}/moved/${text})
    message(FATAL_ERROR "${text} is not installed")
  endif()
endforeach()
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" source_pattern ${SOURCE})
file(GLOB_RECURSE files ${WORK}/moved/*)
foreach(file IN LISTS files)
  file(STRINGS ${file} leaks LIMIT_COUNT 1 REGEX "${source_pattern}/|package-test/install_tree/installed")
  if(leaks AND NOT SANITIZE)
    message(FATAL_ERROR "${file} names the place it was built in: ${leaks}")
  endif()
endforeach()

# The Python package in the tree knows its version and finds the program, without a variable.
find_program(python NAMES python3)
if(python)
  run(${python} -c "print(__import__('sys').executable)")  # python3 may be a script, which needs a PATH
  string(STRIP "${output}" python)
  run(${CMAKE_COMMAND} -E env --unset=ROOFLAB PATH=/nowhere PYTHONDONTWRITEBYTECODE=1
      PYTHONPATH=${WORK}/moved/share/rooflab/python
      ${python} -c "print('package', __import__('rooflab').__version__, __import__('rooflab').summary('resnet18').parameters)")
  expect_output("package [0-9.]+ 11689512")
endif()

set(flags "")
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer DESTINATION ${WORK})
file(COPY ${SOURCE}/examples DESTINATION ${WORK}/consumer)
run(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/consumer/build -G Ninja ${flags}
    -DCMAKE_PREFIX_PATH=${WORK}/moved -DROOFLAB_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK}/consumer/build)
run(${WORK}/consumer/build/consumer)
expect_output("nodes for a Tesla T4")
run(${WORK}/consumer/build/predict_network)
expect_output("25557032 parameters")

use_program(${WORK}/moved/bin/rooflab ${WORK}/desk)
