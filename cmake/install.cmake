# bin/rooflab, lib/librooflab.a, include/rooflab, lib/cmake/rooflab, lib/pkgconfig, share/rooflab, share/doc. A worker
# that was not built is left out (OPTIONAL, where it is defined). Components are the packages of
# package.cmake: program, torch, probe, dev, python; and python_folder, which no Debian package has.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooflab)

if(BUILD_SHARED_LIBS)
  set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # its package needs the library alone
  install(TARGETS rooflab EXPORT rooflab_library LIBRARY COMPONENT shared)
else()
  install(TARGETS rooflab EXPORT rooflab_library COMPONENT dev)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rooflab TYPE INCLUDE COMPONENT dev)
install(EXPORT rooflab_library NAMESPACE rooflab:: DESTINATION ${config_dir} COMPONENT dev)
install(TARGETS rooflab_program EXPORT rooflab_program COMPONENT program)
install(EXPORT rooflab_program NAMESPACE rooflab:: DESTINATION ${config_dir} COMPONENT dev)

configure_package_config_file(cmake/rooflabConfig.cmake.in rooflabConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(rooflabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# A static library does not name the libraries that it needs.
set(ROOFLAB_PC_LIBRARIES "")
if(NOT BUILD_SHARED_LIBS)
  set(ROOFLAB_PC_LIBRARIES " -lfmt -ljpeg -lpng -lsimdjson -lsqlite3 -lz -pthread")
  if(ROOFLAB_HAS_MD4C)
    string(APPEND ROOFLAB_PC_LIBRARIES " -lmd4c")
  endif()
endif()
configure_file(cmake/rooflab.pc.in rooflab.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rooflab.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rooflabConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rooflabConfigVersion.cmake DESTINATION ${config_dir}
        COMPONENT dev)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/devices ${PROJECT_SOURCE_DIR}/studies
        DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab COMPONENT program FILES_MATCHING PATTERN "*.toml")
if(ROOFLAB_PLOTLY_BUNDLE)
  cmake_path(GET ROOFLAB_PLOTLY_BUNDLE PARENT_PATH plotly)
  install(FILES ${ROOFLAB_PLOTLY_BUNDLE} ${plotly}/LICENSE
          DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/plotly COMPONENT program)
endif()
foreach(script IN LISTS ROOFLAB_PYTHON_SCRIPTS)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/${script}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab COMPONENT program)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        TYPE DOC COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/licenses TYPE DOC COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/published_ops
        DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab COMPONENT program FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY ${ROOFLAB_MANUAL_FOLDER}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT program)
install(FILES ${ROOFLAB_ZSH_COMPLETION} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT program)
install(FILES ${ROOFLAB_BASH_COMPLETION}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${ROOFLAB_FISH_COMPLETION}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

# The Python package, as a folder for PYTHONPATH or `pip install`. PKG-INFO tells its version.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/python
        COMPONENT python_folder
        PATTERN "__pycache__" EXCLUDE PATTERN "*.egg-info" EXCLUDE
        PATTERN "build" EXCLUDE PATTERN "dist" EXCLUDE)
file(CONFIGURE OUTPUT PKG-INFO CONTENT "Metadata-Version: 2.1\nName: rooflab\nVersion: @PROJECT_VERSION@\n"
     @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PKG-INFO
        DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/python COMPONENT python_folder)
# As Debian's Python finds it, for python3-rooflab alone.
set(dist_packages lib/python3/dist-packages)
file(CONFIGURE OUTPUT entry_points.txt CONTENT "[pytest11]\nrooflab = rooflab.pytest_plugin\n")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/rooflab DESTINATION ${dist_packages}
        COMPONENT python EXCLUDE_FROM_ALL PATTERN "__pycache__" EXCLUDE)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PKG-INFO ${CMAKE_CURRENT_BINARY_DIR}/entry_points.txt
        DESTINATION ${dist_packages}/rooflab-${PROJECT_VERSION}.egg-info
        COMPONENT python EXCLUDE_FROM_ALL)
