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

# The control file of a package, in `output`, and its files unpacked next to those of the others.
macro(take_package name)
  file(GLOB package ${WORK}/packages/${name}_*.deb)
  run(${DPKG} -x ${package} ${WORK}/unpacked)
  if(NOT EXISTS ${WORK}/unpacked/usr/share/doc/${name}/copyright)
    message(FATAL_ERROR "${name} has no copyright file")
  endif()
  run(${DPKG} --contents ${package})
  if(output MATCHES "d[rwx-][rwx-][rwx-][rwx-][rwx-][rwx-]---[^\n]*")
    message(FATAL_ERROR "${name} has a folder that users cannot read: ${CMAKE_MATCH_0}")
  endif()
  run(${DPKG} --info ${package})
endmacro()

take_package(rooflab)
expect_output("Depends: [^\n]*libfmt")
expect_output("Recommends: gnuplot-nox, rooflab-torch")
expect_output("Maintainer: [^\n]+ <[^\n]+@[^\n]+>")
foreach(installed IN ITEMS bin/rooflab share/rooflab/devices/t4.toml share/rooflab/studies/s3_forward_pass.toml
                           share/man/man1/rooflab.1 share/doc/rooflab/LICENSE
                           share/doc/rooflab/licenses/libpng)
  if(NOT EXISTS ${WORK}/unpacked/usr/${installed})
    message(FATAL_ERROR "the package has no ${installed}")
  endif()
endforeach()
if(EXISTS ${WORK}/unpacked/usr/include OR EXISTS ${WORK}/unpacked/usr/libexec/rooflab/rooflab-torch)
  message(FATAL_ERROR "rooflab has what is of another package")
endif()
use_program(${WORK}/unpacked/usr/bin/rooflab ${WORK}/unpacked-desk)

take_package(rooflab-dev)
expect_output("Depends: [^\n]*rooflab \\(= [0-9.]+\\)")
take_package(python3-rooflab)
expect_output("Architecture: all")
find_program(python NAMES python3)
if(python)
  run(${CMAKE_COMMAND} -E env PATH=${WORK}/unpacked/usr/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
      PYTHONPATH=${WORK}/unpacked/usr/lib/python3/dist-packages
      ${python} -c "print('package', __import__('rooflab').__version__, __import__('rooflab').summary('resnet18').parameters)")
  expect_output("package [0-9.]+ 11689512")
endif()
file(GLOB package ${WORK}/packages/rooflab-torch_*.deb)
if(package)
  take_package(rooflab-torch)
  expect_output("Depends: [^\n]*libtorch")
  if(NOT EXISTS ${WORK}/unpacked/usr/libexec/rooflab/rooflab-torch)
    message(FATAL_ERROR "rooflab-torch has no worker")
  endif()
endif()
