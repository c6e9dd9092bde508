# bin/rooflab, lib/librooflab.a, include/rooflab, lib/cmake/rooflab, share/rooflab, share/doc. A worker
# that was not built is left out (OPTIONAL, where it is defined).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooflab)

install(TARGETS rooflab EXPORT rooflab_library)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/rooflab TYPE INCLUDE)
install(EXPORT rooflab_library NAMESPACE rooflab:: DESTINATION ${config_dir})
install(TARGETS rooflab_program EXPORT rooflab_program)
install(EXPORT rooflab_program NAMESPACE rooflab:: DESTINATION ${config_dir})

configure_package_config_file(cmake/rooflabConfig.cmake.in rooflabConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(rooflabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rooflabConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rooflabConfigVersion.cmake DESTINATION ${config_dir})

install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/devices DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab
        FILES_MATCHING PATTERN "*.toml")
if(ROOFLAB_PLOTLY_BUNDLE)
  cmake_path(GET ROOFLAB_PLOTLY_BUNDLE PARENT_PATH plotly)
  install(FILES ${ROOFLAB_PLOTLY_BUNDLE} ${plotly}/LICENSE
          DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/plotly)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/tools/pytorch_host.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE ${CMAKE_SOURCE_DIR}/CHANGELOG.md TYPE DOC)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/published_ops DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab
        FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY ${ROOFLAB_MANUAL_FOLDER}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${ROOFLAB_ZSH_COMPLETION} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${ROOFLAB_BASH_COMPLETION}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${ROOFLAB_FISH_COMPLETION}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The Python package, as a folder for PYTHONPATH or `pip install`. PKG-INFO tells its version.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/python
        PATTERN "__pycache__" EXCLUDE PATTERN "*.egg-info" EXCLUDE
        PATTERN "build" EXCLUDE PATTERN "dist" EXCLUDE)
file(CONFIGURE OUTPUT PKG-INFO CONTENT "Metadata-Version: 2.1\nName: rooflab\nVersion: @PROJECT_VERSION@\n"
     @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PKG-INFO DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflab/python)
