# A program for glibc 2.31: this machine's g++ with the headers and libraries of an older Debian in
# $ROOFLAB_PORTABLE/sysroot, libstdc++ inside, and dependencies in $ROOFLAB_PORTABLE/deps (build.sh makes both).
set(portable "$ENV{ROOFLAB_PORTABLE}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CROSSCOMPILING FALSE)  # what is built for an older glibc runs here
set(CMAKE_SYSROOT "${portable}/sysroot")
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(gcc_headers /usr/include/c++/$ENV{ROOFLAB_GCC} /usr/include/x86_64-linux-gnu/c++/$ENV{ROOFLAB_GCC})
list(TRANSFORM gcc_headers PREPEND "-isystem ")
list(JOIN gcc_headers " " gcc_headers)
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ ${gcc_headers}")
# The compiler's own folders hold this machine's libraries too: these come first.
set(older "${portable}/sysroot/usr/lib/x86_64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ \"-B${older}\" \"-L${older}\" \"${portable}/compat.o\"")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "\"-B${older}\" \"-L${older}\" \"${portable}/compat.o\"")
# Separate libraries before glibc 2.34. The static libstdc++ comes after them and needs them.
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--no-as-needed -lpthread -ldl")
set(CMAKE_FIND_ROOT_PATH "${portable}/deps" "${portable}/sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
