# cpack -G DEB, cpack -G TGZ, in a build folder. A Debian package for each component of install.cmake
# that was built; the archive has all but the worker for libtorch, whose libraries it does not have.
set(ROOFLAB_MAINTAINER "The Rooflab maintainers <maintainers@rooflab.example>" CACHE STRING
    "Who maintains the packages: name and address")
set(CPACK_PACKAGE_VENDOR "The Rooflab authors")
set(CPACK_PACKAGE_CONTACT "${ROOFLAB_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
# Its libraries are those of this system; packaging/portable makes the archive for any.
cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
set(CPACK_PACKAGE_FILE_NAME
    rooflab-${PROJECT_VERSION}-${system_ID}${system_VERSION_ID}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_by_generator.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(same_version "rooflab (= ${PROJECT_VERSION})")
set(packages "")

# One package. DEPENDS: what dpkg-shlibdeps does not find. Its name tells where its copyright file goes.
macro(rooflab_debian component name synopsis description)
  cmake_parse_arguments(deb "ALL" "" "DEPENDS;RECOMMENDS" ${ARGN})
  string(TOUPPER ${component} key)
  list(APPEND packages ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${synopsis}\n${description}")
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  list(JOIN deb_DEPENDS ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  list(JOIN deb_RECOMMENDS ", " CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS)
  if(deb_ALL)
    set(CPACK_DEBIAN_${key}_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION python)
  endif()
endmacro()

find_program(ROOFLAB_SHLIBDEPS dpkg-shlibdeps)
find_program(ROOFLAB_FILE file)
set(libraries "")
if(ROOFLAB_SHLIBDEPS AND ROOFLAB_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()  # of Debian 12
  set(libraries libc6 libstdc++6 libgcc-s1 libfmt9 libjpeg62-turbo libmd4c0 libpng16-16 libsimdjson14
                libsqlite3-0 zlib1g)
endif()
if(BUILD_SHARED_LIBS)  # the folder of a separate build, which has this package alone
  rooflab_debian(shared librooflab${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} "shared C++ library of rooflab"
    "librooflab.so, for programs that share it. Its headers are in rooflab-dev.")
  set(CPACK_COMPONENTS_ALL shared)
  include(CPack)
  return()
endif()
rooflab_debian(program rooflab "counts neural networks and predicts their time on GPUs"
  "Counts a network without running it, predicts its time and memory on devices that are not there, draws its roofline, and reads what other tools measured."
  DEPENDS ${libraries} RECOMMENDS gnuplot-nox rooflab-torch)
if(TARGET rooflab_torch)
  rooflab_debian(torch rooflab-torch "runs neural networks for rooflab"
    "The worker that runs networks through libtorch, for measure, train, evaluate and scale. With Debian's libtorch it runs on the CPU."
    DEPENDS ${same_version} libopenblas0-pthread)
endif()
if(TARGET rooflab_probe_worker)
  rooflab_debian(probe rooflab-probe "measures the hardware for rooflab"
    "The worker that measures the hardware itself, for probe."
    DEPENDS ${same_version})
endif()
rooflab_debian(dev rooflab-dev "C++ library of rooflab"
  "The static library, its headers and its CMake package."
  DEPENDS ${same_version} libfmt-dev libjpeg-dev libmd4c-dev libpng-dev libsimdjson-dev
          libsqlite3-dev zlib1g-dev)
rooflab_debian(python python3-rooflab "Python package of rooflab"
  "The Python package: records PyTorch programs, predicts and profiles them."
  ALL DEPENDS ${same_version} "python3 (>= 3.9)" RECOMMENDS python3-torch)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst
                                              ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
set(CPACK_COMPONENTS_ALL ${packages})
include(CPack)
