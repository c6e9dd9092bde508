# cpack -G DEB, cpack -G TGZ, in a build folder.
set(CPACK_PACKAGE_VENDOR "The Rooflab authors")
set(CPACK_PACKAGE_CONTACT "The Rooflab authors <rooflab@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME rooflab-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The packages leave the worker out: counting alone should not need libtorch.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};rooflab;Unspecified;/")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "gnuplot-nox, libfmt-dev, libjpeg62-turbo-dev, libmd4c-dev, libpng-dev, libsimdjson-dev, libsqlite3-dev, zlib1g-dev")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Counts a network without running it, predicts its time and memory on devices that are not\n\
 there, and draws its roofline. Holds the command line, the static library and its headers.")
find_program(ROOFLAB_SHLIBDEPS dpkg-shlibdeps)
find_program(ROOFLAB_FILE file)
if(ROOFLAB_SHLIBDEPS AND ROOFLAB_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, libgcc-s1, libfmt9, libjpeg62-turbo, libmd4c0, libpng16-16, libsimdjson14, libsqlite3-0, zlib1g")  # of Debian 12
endif()
include(CPack)
