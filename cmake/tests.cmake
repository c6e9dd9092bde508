# Labels, from quick to slow: unit, threads, accuracy, cases, cli, gpu, package, python, torch, probe, mutator, faults,
# browser, latex, venv, laws, long. `ctest -L unit` runs one of them.

add_custom_target(rooflab_unit_tests)  # builds every unit test
if(NOT BUILD_TESTING)
  return()
endif()
find_package(GTest REQUIRED)
include(GoogleTest)

function(rooflab_gtest target label)
  add_executable(${target} ${ARGN})
  rooflab_unity(${target})
  target_link_libraries(${target} PRIVATE GTest::gtest_main GTest::gmock)
  target_compile_definitions(${target} PRIVATE ROOFLAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(ROOFLAB_SANITIZE AND (target STREQUAL "rooflab_unit_profile" OR target STREQUAL "rooflab_unit_import"))
    target_compile_definitions(${target} PRIVATE ROOFLAB_SANITIZED)  # limits of time and memory
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)  # quicker to build than to run
  if(ROOFLAB_PCH AND target STREQUAL "rooflab_unit_base")
    target_precompile_headers(${target} PRIVATE
      <gmock/gmock.h> <gtest/gtest.h>)
  elseif(ROOFLAB_PCH)  # made once
    target_precompile_headers(${target} REUSE_FROM rooflab_unit_base)
  endif()
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(properties LABELS ${label} TIMEOUT 300)
  # Longer than most, so they begin before the quick ones. Each on one core: threads that wait for
  # each other, on cores that other tests keep busy, take twice the processor time.
  if(label STREQUAL "torch")
    list(APPEND properties COST 10 ENVIRONMENT OMP_NUM_THREADS=1)
  endif()
  gtest_discover_tests(${target} TEST_FILTER -Long* DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
  add_dependencies(rooflab_unit_tests ${target})
endfunction()

# Two fakes of NVIDIA's driver library: a current one and an older one.
foreach(fake IN ITEMS rooflab_fake_nvml rooflab_fake_nvml_old)
  add_library(${fake} MODULE ${PROJECT_SOURCE_DIR}/tests/fakes/nvml.cpp)
  set_target_properties(${fake} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endforeach()
target_compile_definitions(rooflab_fake_nvml_old PRIVATE FAKE_NVML_OLD)

# unit: one executable per room; a room's tests may use the rooms above it in tools/layers.txt, so
# that they can be built while a higher room cannot.
set(rooms_so_far "")
foreach(room IN LISTS ROOFLAB_ROOMS)
  list(APPEND rooms_so_far rooflab_${room})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${room}/*.cpp)
  if(tests)
    rooflab_gtest(rooflab_unit_${room} unit ${tests})
    target_link_libraries(rooflab_unit_${room} PRIVATE ${rooms_so_far})
    if(room STREQUAL "onnx")  # the tests write ONNX files
      target_link_libraries(rooflab_unit_${room} PRIVATE rooflab_protozero)
    endif()
    if(room STREQUAL "data")  # the tests write images
      target_link_libraries(rooflab_unit_${room} PRIVATE JPEG::JPEG PNG::PNG)
    endif()
    if(room STREQUAL "monitor" OR room STREQUAL "profile")
      target_compile_definitions(rooflab_unit_${room} PRIVATE
        FAKE_NVML="$<TARGET_FILE:rooflab_fake_nvml>"
        FAKE_NVML_OLD="$<TARGET_FILE:rooflab_fake_nvml_old>")
      add_dependencies(rooflab_unit_${room} rooflab_fake_nvml rooflab_fake_nvml_old)
    endif()
    if(room STREQUAL "counters")
      target_compile_definitions(rooflab_unit_${room} PRIVATE ROOFLAB_OWN_CUDA="${ROOFLAB_OWN_CUDA}")
    endif()
    if(room STREQUAL "engine" OR room STREQUAL "task")
      target_compile_definitions(rooflab_unit_${room} PRIVATE
        ROOFLAB_FAKE_WORKER="$<TARGET_FILE:rooflab_fake_worker>")
      add_dependencies(rooflab_unit_${room} rooflab_fake_worker)
    endif()
  endif()
endforeach()

# threads: eight at once; `./run check` runs these more often and under ThreadSanitizer.
file(GLOB thread_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/threads/*.cpp)
rooflab_gtest(rooflab_thread_tests threads ${thread_tests})
target_link_libraries(rooflab_thread_tests PRIVATE rooflab fmt::fmt)

# accuracy: predictions with the built-in calibrations against published tables; docs/accuracy.md.
file(GLOB accuracy_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/accuracy/*.cpp)
rooflab_gtest(rooflab_accuracy_tests accuracy ${accuracy_tests})
target_link_libraries(rooflab_accuracy_tests PRIVATE rooflab fmt::fmt)
target_include_directories(rooflab_accuracy_tests PRIVATE ${PROJECT_SOURCE_DIR}/src)
# long: what takes long, and aims that are not reached yet, which fail in `./run check`.
foreach(target IN ITEMS rooflab_unit_predict rooflab_unit_analyze rooflab_accuracy_tests)
  gtest_discover_tests(${target} TEST_FILTER Long* DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS long TIMEOUT 300)
endforeach()

# torch: the real worker on the CPU, compared with the framework's own modules. gpu: the same
# worker on a CUDA GPU; skipped with a reason without a GPU.
if(TARGET rooflab_torch)
  foreach(label IN ITEMS torch gpu)
    file(GLOB worker_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${label}/*.cpp)
    rooflab_gtest(rooflab_${label}_tests ${label} ${worker_tests})
    target_link_libraries(rooflab_${label}_tests PRIVATE
      rooflab_engine rooflab_zoo rooflab_onnx rooflab_predict rooflab_cost rooflab_schedule
      rooflab_graph rooflab_device rooflab_record ${ROOFLAB_GROUND} JPEG::JPEG PNG::PNG
      simdjson::simdjson ${ROOFLAB_SQLITE} ZLIB::ZLIB)
    target_compile_definitions(rooflab_${label}_tests PRIVATE
      ROOFLAB_TORCH_WORKER="$<TARGET_FILE:rooflab_torch>" $<$<TARGET_EXISTS:torch_cuda>:ROOFLAB_TORCH_CUDA>)
    add_dependencies(rooflab_${label}_tests rooflab_torch)
  endforeach()
  # long: those that take minutes of two cores.
  gtest_discover_tests(rooflab_torch_tests TEST_FILTER Long* DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS long TIMEOUT 900)

  # Parts of the worker by themselves, in libtorch's own process.
  file(GLOB torch_part_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/torch_parts/*.cpp)
  rooflab_gtest(rooflab_torch_part_tests torch ${torch_part_tests}
                                               ${PROJECT_SOURCE_DIR}/workers/torch/cache_state.cpp
                                               ${PROJECT_SOURCE_DIR}/workers/torch/grad_scaler.cpp
                                               ${PROJECT_SOURCE_DIR}/workers/torch/outcome.cpp)
  target_include_directories(rooflab_torch_part_tests PRIVATE ${PROJECT_SOURCE_DIR}/workers/torch)
  target_include_directories(rooflab_torch_part_tests SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(rooflab_torch_part_tests PRIVATE rooflab_record rooflab_graph ${ROOFLAB_GROUND}
                                                         ${TORCH_LIBRARIES})
  target_compile_options(rooflab_torch_part_tests PRIVATE ${torch_flags} -Wno-deprecated-declarations)
  target_compile_definitions(rooflab_torch_part_tests PRIVATE FMT_HEADER_ONLY)  # cmake/torch_worker.cmake says why
  # libtorch's flags are others than those that the header was made with.
  set_target_properties(rooflab_torch_part_tests PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endif()

# unit: what stands for a header that pip's CUDA lacks, with the other headers of a real one.
if(EXISTS "${ROOFLAB_CUDA_INCLUDE}/cuda_fp16.h")
  rooflab_gtest(rooflab_torch_shim_tests unit ${PROJECT_SOURCE_DIR}/tests/torch_shim/nv_target_test.cpp)
  target_include_directories(rooflab_torch_shim_tests SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/workers/torch/shim/cuda
                                                                     ${ROOFLAB_CUDA_INCLUDE})
  target_link_libraries(rooflab_torch_shim_tests PRIVATE fmt::fmt)  # the precompiled header is of a room with fmt
endif()

# probe: the worker rooflab-probe on the CPU, and its parts that need no device.
file(GLOB probe_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/probe/*.cpp)
set(probe_parts host_caches probe_run remaining_time repetitions results sustained_rate)
list(TRANSFORM probe_parts REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/workers/probe/\\1.cpp")
rooflab_gtest(rooflab_probe_tests probe ${probe_tests} ${probe_parts})
target_include_directories(rooflab_probe_tests PRIVATE ${PROJECT_SOURCE_DIR}/workers/probe)
target_link_libraries(rooflab_probe_tests PRIVATE rooflab_engine rooflab_graph rooflab_device
                                                  rooflab_record ${ROOFLAB_GROUND})
target_compile_definitions(rooflab_probe_tests PRIVATE
  ROOFLAB_PROBE_WORKER="$<TARGET_FILE:rooflab_probe_worker>")
add_dependencies(rooflab_probe_tests rooflab_probe_worker)

# unit: the layers, checked over this very tree.
rooflab_gtest(rooflab_layers unit ${PROJECT_SOURCE_DIR}/tests/layers/layer_rules.cpp
                                  ${PROJECT_SOURCE_DIR}/tests/layers/layer_rules_test.cpp
                                  ${PROJECT_SOURCE_DIR}/tests/layers/project_files.cpp
                                  ${PROJECT_SOURCE_DIR}/tests/layers/size_budget.cpp
                                  ${PROJECT_SOURCE_DIR}/tests/layers/size_budget_test.cpp)
target_link_libraries(rooflab_layers PRIVATE fmt::fmt)  # the precompiled header is of a room with fmt

# unit: the wording of the whole tree; the tool itself is tried on planted violations first.
add_test(NAME wording.tool COMMAND sh ${PROJECT_SOURCE_DIR}/tests/wording/wording_test.sh
                                   ${PROJECT_SOURCE_DIR}/tools/wording)
add_test(NAME wording.tree COMMAND ${PROJECT_SOURCE_DIR}/tools/wording)
set_tests_properties(wording.tool wording.tree PROPERTIES LABELS unit TIMEOUT 60)

# unit: every flag that a text names exists; the tool itself is tried on a planted one.
add_test(NAME flags.tool COMMAND ${PROJECT_SOURCE_DIR}/tools/flags $<TARGET_FILE:rooflab_program>
                                 ${PROJECT_SOURCE_DIR}/tests/wording/planted_flag.txt)
set_tests_properties(flags.tool PROPERTIES PASS_REGULAR_EXPRESSION
                     "planted_flag.txt:2: no command has --bacth")
add_test(NAME flags.tree COMMAND ${PROJECT_SOURCE_DIR}/tools/flags $<TARGET_FILE:rooflab_program>)
set_tests_properties(flags.tool flags.tree PROPERTIES LABELS unit TIMEOUT 60)

# unit: what the documents promise of themselves: one version, a short README, heads of the method pages.
foreach(name IN ITEMS version pages)
  add_test(NAME documents.${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/documents/${name}_test.sh
                                          ${PROJECT_SOURCE_DIR})
endforeach()
set_tests_properties(documents.version documents.pages PROPERTIES LABELS unit TIMEOUT 60)

# unit: what `./run bench --compare` concludes from two files, and the rules and the page of `./run bench --peers`; skip
# with a printed reason without python3.
add_test(NAME bench.comparison COMMAND sh ${PROJECT_SOURCE_DIR}/tests/bench/run.sh)
add_test(NAME bench.peers COMMAND sh ${PROJECT_SOURCE_DIR}/tests/bench/run.sh peers)
set_tests_properties(bench.comparison bench.peers PROPERTIES LABELS unit TIMEOUT 60 SKIP_RETURN_CODE 77)

# long: the compiler errors when the graph gets a new op, in GCC's words.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(torch_folders "")
  if(TARGET rooflab_torch)
    set(torch_folders ${TORCH_INCLUDE_DIRS})
  endif()
  add_test(NAME graph.new_op
           COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR}
                   -DWORK=${PROJECT_BINARY_DIR}/new-op-test "-DTORCH=${torch_folders}"
                   -P ${PROJECT_SOURCE_DIR}/tests/new_op/new_op.cmake)
  set_tests_properties(graph.new_op PROPERTIES LABELS long TIMEOUT 600)
endif()

# cases and cli: text files that run the program; the runner's own behaviour is tested first. They
# find the fake driver library as $FAKE_NVML.
add_executable(rooflab_case_runner ${PROJECT_SOURCE_DIR}/tests/cases/case_runner.cpp
                                   ${PROJECT_SOURCE_DIR}/tests/cases/json_keys.cpp)
target_link_libraries(rooflab_case_runner PRIVATE ${ROOFLAB_GROUND})
add_dependencies(rooflab_case_runner rooflab_fake_nvml)
set_target_properties(rooflab_case_runner PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME cases.runner COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cases/runner_test.sh
                                   $<TARGET_FILE:rooflab_case_runner>)
set_tests_properties(cases.runner PROPERTIES LABELS cases)

# A worker without a framework, which tests of the command line use for every case.
set(fake_workers ${PROJECT_BINARY_DIR}/tests/workers)
add_executable(rooflab_fake_worker ${PROJECT_SOURCE_DIR}/tests/worker/fake_worker.cpp)
target_link_libraries(rooflab_fake_worker PRIVATE rooflab_engine rooflab_graph rooflab_device
                                                  rooflab_record ${ROOFLAB_GROUND})
set_target_properties(rooflab_fake_worker PROPERTIES
  OUTPUT_NAME rooflab-torch
  RUNTIME_OUTPUT_DIRECTORY ${fake_workers})
set(case_environment ROOFLAB_WORKERS=${fake_workers}
                     FAKE_NVML=$<TARGET_FILE:rooflab_fake_nvml>)

# A CUDA driver and a CUPTI without a GPU, and a program linked to both, $FAKE_CUDA_PROGRAM: the
# program into which `rooflab profile` loads the real librooflab-inject.so. That library has no
# sanitizers and comes before all others, so the program does not have them either.
if(ROOFLAB_HAS_CUPTI)
  set(fake_cuda ${PROJECT_BINARY_DIR}/tests/fake_cuda)
  add_library(rooflab_fake_cuda SHARED ${PROJECT_SOURCE_DIR}/tests/fakes/cuda.cpp)
  set_target_properties(rooflab_fake_cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1)
  add_library(rooflab_fake_cupti SHARED ${PROJECT_SOURCE_DIR}/tests/fakes/cupti.cpp)
  set_target_properties(rooflab_fake_cupti PROPERTIES OUTPUT_NAME cupti SOVERSION 13)
  add_library(rooflab_fake_nccl SHARED ${PROJECT_SOURCE_DIR}/tests/fakes/nccl.cpp)
  set_target_properties(rooflab_fake_nccl PROPERTIES OUTPUT_NAME nccl SOVERSION 2
                                                     BUILD_RPATH ${fake_cuda})
  target_link_libraries(rooflab_fake_nccl PRIVATE rooflab_fake_cuda)
  add_executable(rooflab_fake_cuda_program ${PROJECT_SOURCE_DIR}/tests/fakes/cuda_program.cpp)
  set_target_properties(rooflab_fake_cuda_program PROPERTIES
    OUTPUT_NAME cuda_program BUILD_RPATH ${fake_cuda})
  target_link_libraries(rooflab_fake_cuda_program PRIVATE rooflab_fake_cuda rooflab_fake_cupti)
  # The kind of search path that comes before LD_LIBRARY_PATH.
  target_link_options(rooflab_fake_cuda_program PRIVATE -Wl,--no-as-needed,--disable-new-dtags)
  foreach(fake IN ITEMS rooflab_fake_cuda rooflab_fake_cupti rooflab_fake_nccl
                        rooflab_fake_cuda_program)
    target_link_libraries(${fake} PRIVATE rooflab_cupti_headers ${CMAKE_DL_LIBS})
    target_compile_options(${fake} PRIVATE -fno-sanitize=all)
    target_link_options(${fake} PRIVATE -fno-sanitize=all)
    set_target_properties(${fake} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${fake_cuda}
                                             RUNTIME_OUTPUT_DIRECTORY ${fake_cuda})
  endforeach()
  add_custom_command(TARGET rooflab_fake_worker POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:rooflab_inject>
            ${fake_workers}/$<TARGET_FILE_NAME:rooflab_inject> VERBATIM)
  add_dependencies(rooflab_fake_worker rooflab_inject)
  add_dependencies(rooflab_fake_cuda_program rooflab_fake_nccl)
  add_dependencies(rooflab_case_runner rooflab_fake_cuda_program)
  list(APPEND case_environment FAKE_CUDA_PROGRAM=$<TARGET_FILE:rooflab_fake_cuda_program>)
endif()

foreach(label IN ITEMS cases cli)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${label}/*.test)
  if(NOT ROOFLAB_HAS_CUPTI)
    list(FILTER files EXCLUDE REGEX "/profile(_[a-z]+)?\\.test$")
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    add_test(NAME ${label}.${name} COMMAND rooflab_case_runner $<TARGET_FILE:rooflab_program>
                                           ${PROJECT_SOURCE_DIR}/tests/data ${file})
    set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT 300
                         ENVIRONMENT "${case_environment}")
  endforeach()
endforeach()

# Guides, followed word for word.
foreach(guide IN ITEMS first_study getting_started/trace getting_started/report)
  string(REPLACE "/" "_" name ${guide})
  add_test(NAME cli.${name}
           COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/guide_test.sh $<TARGET_FILE:rooflab_case_runner>
                   $<TARGET_FILE:rooflab_program> ${PROJECT_SOURCE_DIR}/tests/data
                   ${PROJECT_SOURCE_DIR}/docs/${guide}.md)
  set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT 120
                       ENVIRONMENT "${case_environment}")
endforeach()

# The way to a GPU, without one: scripts, the notebook, and the flags that they use.
add_test(NAME cli.gpu_way
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/gpu_way_test.sh ${PROJECT_SOURCE_DIR})
add_test(NAME cli.cuda_place
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/cuda_place_test.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.gpu_way cli.cuda_place PROPERTIES LABELS cli TIMEOUT 60 SKIP_RETURN_CODE 77)
add_test(NAME flags.gpu_way COMMAND ${PROJECT_SOURCE_DIR}/tools/flags $<TARGET_FILE:rooflab_program>
                                    ${PROJECT_SOURCE_DIR}/docs/notebooks/gpu.ipynb
                                    ${PROJECT_SOURCE_DIR}/tools/slurm/measure.sbatch)
set_tests_properties(flags.gpu_way PROPERTIES LABELS cli TIMEOUT 60)

# import: the panes of a trace against the same derived by a script; skips without node.
add_test(NAME import.trace_panes
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/import/run.sh $<TARGET_FILE:rooflab_program>
                 ${PROJECT_SOURCE_DIR}/tests/data/import/kineto/resnet18-b16-train.pt.trace.json.gz
                 ${PROJECT_BINARY_DIR}/import-test)
set_tests_properties(import.trace_panes PROPERTIES LABELS import TIMEOUT 120 SKIP_RETURN_CODE 77)

# python, venv: the package in python/, with Debian's PyTorch and with newer ones.
include(cmake/python_tests.cmake)

# unit: links between the documents; every command has a manual, of which a page can be made.
if(ROOFLAB_PYTHON)
  add_test(NAME documents.links COMMAND ${ROOFLAB_PYTHON} ${PROJECT_SOURCE_DIR}/tools/links)
  add_test(NAME documents.commands COMMAND ${ROOFLAB_PYTHON} ${PROJECT_SOURCE_DIR}/tools/command_pages
                                           $<TARGET_FILE:rooflab_program> ${CMAKE_CURRENT_BINARY_DIR}/commands)
  set_tests_properties(documents.links documents.commands PROPERTIES LABELS unit TIMEOUT 60)
endif()

# `cmake --build build/dev --target bless` rewrites what the text cases expect. Read the diff.
file(GLOB blessed CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cases/*.test
                                    ${PROJECT_SOURCE_DIR}/tests/cli/*.test)
if(NOT ROOFLAB_HAS_CUPTI)
  list(FILTER blessed EXCLUDE REGEX "/profile(_[a-z]+)?\\.test$")
endif()
add_custom_target(bless COMMAND ${CMAKE_COMMAND} -E env ${case_environment}
                                $<TARGET_FILE:rooflab_case_runner> --bless $<TARGET_FILE:rooflab_program>
                                ${PROJECT_SOURCE_DIR}/tests/data ${blessed}
                  VERBATIM)

# Where programs of the build folder look for their libraries.
set(built_files $<TARGET_FILE:rooflab_program>)
foreach(target IN ITEMS rooflab_torch rooflab_probe_worker rooflab_inject)
  if(TARGET ${target})
    list(APPEND built_files $<TARGET_FILE:${target}>)
  endif()
endforeach()
add_test(NAME cases.run_path COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/run_path.sh ${built_files})
set_tests_properties(cases.run_path PROPERTIES LABELS cases)

# package: the install tree, moved; the packages, unpacked; a consumer built against them.
foreach(name IN ITEMS install_tree packages)
  add_test(NAME package.${name}
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                   -DWORK=${PROJECT_BINARY_DIR}/package-test/${name}
                   -DSANITIZE=${ROOFLAB_SANITIZE} -DVERSION=${PROJECT_VERSION}
                   -P ${PROJECT_SOURCE_DIR}/tests/package/${name}.cmake)
  set_tests_properties(package.${name} PROPERTIES LABELS package TIMEOUT 600)
endforeach()

# Public headers without a warning: all together, their structs in designated initialisers, and each header alone
# by two compilers.
add_test(NAME cases.headers COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/headers.sh ${PROJECT_SOURCE_DIR} together)
add_test(NAME cases.designated
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/headers.sh ${PROJECT_SOURCE_DIR} designated)
set_tests_properties(cases.headers cases.designated PROPERTIES LABELS cases)
add_test(NAME package.designated
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/headers.sh ${PROJECT_SOURCE_DIR} designated g++ clang++)
set_tests_properties(package.designated PROPERTIES LABELS package)
add_test(NAME package.headers
         COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/headers.sh ${PROJECT_SOURCE_DIR} alone g++ clang++)
set_tests_properties(package.headers PROPERTIES LABELS package TIMEOUT 1200)

# The library in seven ways.
if(NOT ROOFLAB_SANITIZE)
  add_test(NAME package.consumers
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                   -DWORK=${PROJECT_BINARY_DIR}/package-test/consumers
                   -P ${PROJECT_SOURCE_DIR}/tests/package/consumers.cmake)
  set_tests_properties(package.consumers PROPERTIES LABELS package TIMEOUT 2400)
endif()

# The installed program builds its worker against Debian's PyTorch.
if(TARGET rooflab_torch AND ROOFLAB_PYTHON)
  add_test(NAME package.worker_source
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPYTHON=${ROOFLAB_PYTHON}
                   -DWORK=${PROJECT_BINARY_DIR}/package-test/worker_source
                   -P ${PROJECT_SOURCE_DIR}/tests/package/worker_source.cmake)
  set_tests_properties(package.worker_source PROPERTIES LABELS package TIMEOUT 1200)
endif()

# The Debian packages on a bare Debian; skips with a printed reason without root, debootstrap or a mirror.
add_test(NAME package.bare_debian COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/bare_debian.sh
                                          ${PROJECT_BINARY_DIR}/package-test/packages/packages
                                          ${PROJECT_BINARY_DIR}/package-test/bare_debian)
set_tests_properties(package.bare_debian PROPERTIES
  LABELS package TIMEOUT 900 SKIP_RETURN_CODE 77 DEPENDS package.packages)

# The program for glibc 2.31 in an older Debian, and as a wheel; skips likewise.
add_test(NAME package.portable COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/portable.sh ${PROJECT_SOURCE_DIR}
                                       ${PROJECT_BINARY_DIR}/package-test/portable)
set_tests_properties(package.portable PROPERTIES LABELS package TIMEOUT 1800 SKIP_RETURN_CODE 77)

# The wheel by pip, uvx and pipx, and next to PyPI's PyTorch; skips likewise.
add_test(NAME package.pypi COMMAND sh ${PROJECT_SOURCE_DIR}/tests/package/pypi.sh ${PROJECT_SOURCE_DIR}
                                   ${PROJECT_BINARY_DIR}/package-test/portable/packages
                                   ${PROJECT_BINARY_DIR}/package-test/pypi)
set_tests_properties(package.pypi PROPERTIES LABELS package TIMEOUT 1800 SKIP_RETURN_CODE 77
                     DEPENDS package.portable)

# latex: a study's tables and charts in a document; skips with a printed reason without pdflatex.
add_test(NAME latex.study COMMAND sh ${PROJECT_SOURCE_DIR}/tests/latex/run.sh
                                  $<TARGET_FILE:rooflab_program> ${fake_workers}
                                  ${PROJECT_BINARY_DIR}/latex-test)
set_tests_properties(latex.study PROPERTIES LABELS latex TIMEOUT 300 SKIP_RETURN_CODE 77)

# browser: the report in headless Chromium; skips with a printed reason without Chromium.
add_test(NAME browser.report COMMAND sh ${PROJECT_SOURCE_DIR}/tests/browser/run.sh
                                     $<TARGET_FILE:rooflab_program>
                                     ${PROJECT_BINARY_DIR}/browser-test)
set_tests_properties(browser.report PROPERTIES LABELS browser TIMEOUT 300 SKIP_RETURN_CODE 77 COST 30)
