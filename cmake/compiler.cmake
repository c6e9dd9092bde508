set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Designated initialisers leave out what keeps its default, which is no mistake.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers)

# GCC 12 warns of overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)
endif()

# The same sources give the same bytes in every folder, and no binary names the folder it was
# built in.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

if(ROOFLAB_SANITIZE)
  add_compile_options(-fsanitize=${ROOFLAB_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROOFLAB_SANITIZE})
endif()

if(ROOFLAB_TIDY)
  find_program(ROOFLAB_CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${ROOFLAB_CLANG_TIDY} --quiet)
endif()

find_program(ROOFLAB_CCACHE ccache)
if(ROOFLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ROOFLAB_CCACHE})
endif()
