# `rooflab doctor --build-worker` with the installed program alone: against the PyTorch of a Python, without the
# source tree; then a measurement with that worker. And the same sources with the C++ ABI of older wheels, as far
# as that goes without one: the other worker, which needs no libtorch.
#   cmake -DBUILD= -DPYTHON= -DWORK= -P worker_source.cmake

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

fresh_folder(${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed --component program --strip)
set(clean ${CMAKE_COMMAND} -E chdir ${WORK} env -i PATH=/usr/bin:/bin XDG_CACHE_HOME=${WORK}/cache
    ${WORK}/installed/bin/rooflab)
run(${clean} doctor --build-worker --python ${PYTHON})
expect_output("ok *rooflab-torch")
run(${clean} doctor --build-worker --python ${PYTHON} --format json)
expect_output("cache/rooflab/workers/[0-9.]+/current/rooflab-torch")
run(${clean} measure squeezenet1_0 --device cpu --batch 1 --phase inference --iterations 5 --format json)
string(JSON status GET "${output}" cases 0 status)
if(NOT status MATCHES "^(ok|suspect)$")
  message(FATAL_ERROR "the measurement ended with ${status}")
endif()

set(source ${WORK}/installed/share/rooflab/source)
run(${CMAKE_COMMAND} -S ${source} -B ${WORK}/old-abi -G Ninja -DROOFLAB_WORKERS_ONLY=ON -DROOFLAB_UNITY=ON
    -DROOFLAB_TORCH=OFF -DROOFLAB_CUDA=OFF -DROOFLAB_OLD_ABI=ON -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_PREFIX_PATH=${source}/third_party)
run(${CMAKE_COMMAND} --build ${WORK}/old-abi --target rooflab_probe_worker)
run(${WORK}/old-abi/bin/rooflab-probe describe)
expect_output("\"worker\": *\"rooflab-probe\"")
