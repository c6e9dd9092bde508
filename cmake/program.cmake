file(GLOB help_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/commands/*.md)
rooflab_embed(rooflab_cli FUNCTION rooflab::cli::help_texts FILES ${help_files})

# What `rooflab models` says of each network, worked out by the library itself.
add_executable(rooflab_compile_model_figures ${PROJECT_SOURCE_DIR}/tools/compile_model_figures.cpp)
target_link_libraries(rooflab_compile_model_figures PRIVATE rooflab fmt::fmt)
target_include_directories(rooflab_compile_model_figures PRIVATE ${PROJECT_SOURCE_DIR}/src)
set(model_figures ${CMAKE_CURRENT_BINARY_DIR}/embed/model_figures.cpp)
add_custom_command(
  OUTPUT ${model_figures}
  COMMAND rooflab_compile_model_figures ${model_figures}
  DEPENDS rooflab_compile_model_figures
  COMMENT "Counting the built-in networks"
  VERBATIM)
target_sources(rooflab_cli PRIVATE ${model_figures})

# The newest entry of the changelog: `## 0.1.0, 2026-01-31`.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md release REGEX "^## [0-9.]+, " LIMIT_COUNT 1)
string(REGEX REPLACE "^## [0-9.]+, " "" release_date "${release}")
target_compile_definitions(rooflab_cli PRIVATE ROOFLAB_VERSION="${PROJECT_VERSION}"
                                               ROOFLAB_RELEASE_DATE="${release_date}"
                                               ROOFLAB_BUILD_TYPE="$<CONFIG>")

add_executable(rooflab_program ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
target_link_libraries(rooflab_program PRIVATE rooflab_cli rooflab)
set_target_properties(rooflab_program PROPERTIES
  OUTPUT_NAME rooflab
  EXPORT_NAME program
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# The program writes its own manual pages and shell completions from its table of commands, as soon
# as it is linked, so that what installs the program finds them.
set(ROOFLAB_MANUAL_FOLDER ${PROJECT_BINARY_DIR}/share/man/man1)
set(ROOFLAB_BASH_COMPLETION ${PROJECT_BINARY_DIR}/share/bash-completion/completions/rooflab)
set(ROOFLAB_ZSH_COMPLETION ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_rooflab)
set(ROOFLAB_FISH_COMPLETION ${PROJECT_BINARY_DIR}/share/fish/vendor_completions.d/rooflab.fish)
foreach(kind_and_file IN ITEMS bash=${ROOFLAB_BASH_COMPLETION} zsh=${ROOFLAB_ZSH_COMPLETION}
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
file(MAKE_DIRECTORY ${ROOFLAB_MANUAL_FOLDER})
add_custom_command(TARGET rooflab_program POST_BUILD
                   COMMAND rooflab_program completions man --into ${ROOFLAB_MANUAL_FOLDER} 2> /dev/null
                   BYPRODUCTS ${ROOFLAB_MANUAL_FOLDER}/rooflab.1 VERBATIM)
