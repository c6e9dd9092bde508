# Makes the .deb and the tar.gz, unpacks each into a folder and uses the program from there.
#   cmake -DBUILD= -DSOURCE= -DWORK= -P packages.cmake

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

fresh_folder(${WORK})
cmake_path(GET CMAKE_COMMAND PARENT_PATH cmake_bin)
run(${cmake_bin}/cpack --config ${BUILD}/CPackConfig.cmake -G TGZ -B ${WORK}/packages)
file(GLOB archive ${WORK}/packages/rooflab-*.tar.gz)
file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${WORK}/archive)
file(GLOB program ${WORK}/archive/rooflab-*/bin/rooflab)
use_program(${program} ${WORK}/archive-desk)

find_program(DPKG dpkg)
if(NOT DPKG)
  message("no dpkg: the .deb was not tried")
  return()
endif()
run(${cmake_bin}/cpack --config ${BUILD}/CPackConfig.cmake -G DEB -B ${WORK}/packages)
file(GLOB package ${WORK}/packages/rooflab_*.deb)
run(${DPKG} --info ${package})
expect_output("Depends: [^\n]*libfmt")
expect_output("Suggests: [^\n]*gnuplot-nox")
run(${DPKG} --contents ${package})
expect_output("\\./usr/bin/rooflab\n")
expect_output("\\./usr/share/rooflab/devices/t4.toml\n")
run(${DPKG} -x ${package} ${WORK}/unpacked)
use_program(${WORK}/unpacked/usr/bin/rooflab ${WORK}/unpacked-desk)
