set(ROOFLAB_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")
set(ROOFLAB_BENCH AUTO CACHE STRING "Benchmarks (AUTO: where Google Benchmark is found)")
set_property(CACHE ROOFLAB_BENCH PROPERTY STRINGS AUTO ON OFF)
option(ROOFLAB_TIDY "Run clang-tidy on every source that is compiled" OFF)
option(ROOFLAB_FUZZ "Fuzzers (needs clang)" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
