# Eight ways to use the library, each as a separate project: find_package, add_subdirectory,
# FetchContent, pkg-config, plain g++, a shared object, clang, librooflab.so. Each builds and runs one program.
#   cmake -DBUILD= -DSOURCE= -DWORK= -P consumers.cmake

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
fresh_folder(${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component dev)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/ways/ DESTINATION ${WORK}/ways)
set(program ${WORK}/ways/with_library.cpp)
set(quick -O0 -std=c++20)

function(expect_answer)
  expect_output("caught: .*t40000.*\n11689512 parameters, version [0-9.]+")
  message(STATUS "${output}")
endfunction()

function(use_project way)
  run(${CMAKE_COMMAND} -S ${WORK}/ways/${way} -B ${WORK}/${way} -G Ninja -DCMAKE_BUILD_TYPE=Debug
      -DCMAKE_CXX_FLAGS_DEBUG=-O1 ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${way} --target app)
  run(${WORK}/${way}/app)
  expect_answer()
endfunction()

use_project(find_package -DCMAKE_PREFIX_PATH=${WORK}/prefix)
set(from_source -DROOFLAB_SOURCE=${SOURCE} -DROOFLAB_UNITY=ON -DROOFLAB_PCH=ON)
use_project(add_subdirectory ${from_source})
use_project(fetch_content ${from_source})

find_program(pkg_config pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/lib/pkgconfig)
run(${pkg_config} --cflags --libs rooflab)
separate_arguments(flags UNIX_COMMAND "${output}")
run(g++ ${quick} ${program} -o by_pkg_config ${flags})
run(./by_pkg_config)
expect_answer()

# The line of docs/library.md.
file(STRINGS ${SOURCE}/docs/library.md line REGEX "^g\\+\\+ .*-lrooflab")
string(REPLACE "PREFIX" "${WORK}/prefix" line "${line}")
string(REPLACE "app.cpp" "${program}" line "${line}")
separate_arguments(line UNIX_COMMAND "${line}")
run(${line} -o by_hand)
run(./by_hand)
expect_answer()

run(g++ ${quick} -fPIC -shared -DWITHOUT_MAIN ${program} -o plugin.so ${flags})
run(g++ ${quick} ${WORK}/ways/load_plugin.cpp -o load_plugin -ldl)
run(./load_plugin ./plugin.so)
expect_answer()

find_program(clang NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-19)
if(clang)
  run(${clang} ${quick} ${program} -o by_clang ${flags})
  run(./by_clang)
  expect_answer()
else()
  message(STATUS "no clang: this way is skipped")
endif()

# No name of a third party that is compiled in can be seen from outside, in the archive or a plug-in.
find_program(nm nm REQUIRED)
foreach(arguments IN ITEMS "-gC;${WORK}/prefix/lib/librooflab.a" "-DC;--defined-only;${WORK}/plugin.so")
  execute_process(COMMAND ${nm} ${arguments} OUTPUT_VARIABLE names ERROR_QUIET)
  string(REGEX MATCHALL "\n[0-9a-f]+ [TWVBDRu] [^\n]*(toml::v3|nlohmann::|Eigen::|protozero::)" leaks "${names}")
  list(LENGTH leaks count)
  list(GET arguments -1 file)
  message(STATUS "${file}: ${count} names of third parties")
  if(count GREATER 0)
    list(SUBLIST leaks 0 10 leaks)
    message(FATAL_ERROR "third parties are seen from outside: ${leaks}")
  endif()
endforeach()
# Weak names are of inline functions that the user's own source has.
string(REGEX MATCHALL "\n[0-9a-f]+ [TBDR] [^\n]*rooflab::" own "${names}")
list(LENGTH own count)
if(count GREATER 0)
  message(FATAL_ERROR "the plug-in shows ${count} names of the library")
endif()

# librooflab.so: in its Debian package, next to the static library, and with its own names alone.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/shared_build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1
    -DBUILD_SHARED_LIBS=ON -DROOFLAB_UNITY=ON -DROOFLAB_PCH=ON -DROOFLAB_TORCH=OFF -DBUILD_TESTING=OFF
    -DROOFLAB_BENCH=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/shared_build --target rooflab)
run(${CMAKE_COMMAND} --install ${WORK}/shared_build --prefix ${WORK}/prefix --component shared)
use_project(shared -DCMAKE_PREFIX_PATH=${WORK}/prefix)
file(GLOB library ${WORK}/prefix/lib/librooflab.so.*.*.*)
run(${nm} -DC --defined-only ${library})
string(REGEX MATCHALL "\n[0-9a-f]+ [TWVBDRu] [^\n]*" shown "${output}")
# Those of the standard library are there where another library refers to them.
list(FILTER shown EXCLUDE REGEX " [TWVBDRu] std::|rooflab::[^\n]*@@ROOFLAB_[0-9.]+$")
list(LENGTH shown count)
if(count GREATER 0)
  list(SUBLIST shown 0 10 shown)
  message(FATAL_ERROR "librooflab.so shows other names than its own: ${shown}")
endif()
cmake_path(GET CMAKE_COMMAND PARENT_PATH cmake_bin)
find_program(DPKG dpkg)
if(DPKG)
  run(${cmake_bin}/cpack --config ${WORK}/shared_build/CPackConfig.cmake -G DEB -B ${WORK}/packages)
  file(GLOB package ${WORK}/packages/librooflab*.deb)
  run(${DPKG} --contents ${package})
  expect_output("librooflab[.]so[.][0-9.]+")
endif()
