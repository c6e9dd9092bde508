set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Designated initialisers may leave out members that keep their default.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers)

# GCC 12 warns of overlapping copies in std::string's operator+ without reason (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)
  # Optimised, it warns likewise of members of std::optional and of vectors that grow (GCC bug 80635).
  add_compile_options($<$<CONFIG:Release>:-Wno-maybe-uninitialized> $<$<CONFIG:Release>:-Wno-stringop-overflow>)
endif()

# Else a variable of a header is one in the whole process, also where a plug-in has its own (library.cmake).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-gnu-unique)
endif()

# The same sources give the same bytes in every folder, and binaries do not contain the path of
# their build.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(ROOFLAB_OLD_ABI)
  add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
endif()

if(ROOFLAB_SANITIZE)
  add_compile_options(-fsanitize=${ROOFLAB_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROOFLAB_SANITIZE})
endif()

# A third of the time for the many tests; binutils has it.
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT ROOFLAB_SANITIZE)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold ROOFLAB_HAS_GOLD)
  if(ROOFLAB_HAS_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()

if(ROOFLAB_TIDY)
  find_program(ROOFLAB_CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${ROOFLAB_CLANG_TIDY} --quiet)
endif()

# Compiles the sources of a target in batches of one size, at most BATCH (40), each in one run of the
# compiler, which parses the headers and instantiates the templates that they share once: one batch
# of 36 sources takes two thirds of the time of three. It needs 1.4 GB of memory.
function(rooflab_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "BATCH" "")
  if(NOT unity_BATCH)
    set(unity_BATCH 40)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${unity_BATCH} - 1) / ${unity_BATCH}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ROOFLAB_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
  if(ROOFLAB_UNITY)  # a local name may be that of a function in the file before; the dev preset looks
    target_compile_options(${target} PRIVATE
      -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

find_program(ROOFLAB_CCACHE ccache)
if(ROOFLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ROOFLAB_CCACHE})
endif()
