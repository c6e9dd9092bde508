file(GLOB help_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/cli/*.md)
rooflab_embed(rooflab_cli FUNCTION rooflab::cli::help_texts FILES ${help_files})
target_compile_definitions(rooflab_cli PRIVATE ROOFLAB_VERSION="${PROJECT_VERSION}"
                                               ROOFLAB_BUILD_TYPE="$<CONFIG>")

add_executable(rooflab_program ${CMAKE_SOURCE_DIR}/src/cli/main.cpp)
target_link_libraries(rooflab_program PRIVATE rooflab_cli rooflab)
set_target_properties(rooflab_program PROPERTIES
  OUTPUT_NAME rooflab
  EXPORT_NAME program
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
  INSTALL_RPATH "$ORIGIN/../lib")

# The program writes its own manual page and shell completions from its flags.
set(ROOFLAB_MANUAL ${CMAKE_BINARY_DIR}/share/man/man1/rooflab.1)
set(ROOFLAB_BASH_COMPLETION ${CMAKE_BINARY_DIR}/share/bash-completion/completions/rooflab)
set(ROOFLAB_FISH_COMPLETION ${CMAKE_BINARY_DIR}/share/fish/vendor_completions.d/rooflab.fish)
# As soon as it is linked, so that the installation finds them.
foreach(kind_and_file IN ITEMS man=${ROOFLAB_MANUAL} bash=${ROOFLAB_BASH_COMPLETION}
                               fish=${ROOFLAB_FISH_COMPLETION})
  string(REGEX MATCH "^([a-z]+)=(.*)$" kind_and_file ${kind_and_file})
  set(kind ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(TARGET rooflab_program POST_BUILD
                     COMMAND rooflab_program completions ${kind} > ${file}
                     BYPRODUCTS ${file} VERBATIM)
endforeach()
