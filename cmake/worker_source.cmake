# share/rooflab/source: the workers' sources with the headers and static libraries that they need, so that
# `rooflab doctor --build-worker` builds them against a PyTorch without a network. The program's package has
# them. A static library that this machine lacks is left out: the user's own is then taken.
set(worker_source ${CMAKE_INSTALL_DATADIR}/rooflab/source)
function(rooflab_install_source destination)
  install(${ARGN} DESTINATION ${worker_source}/${destination} COMPONENT program)
endfunction()

set(source_files CMakeLists.txt LICENSE NOTICE tools/layers.txt tools/compile_calibrations.cpp data/links.toml
                 data/driver_contexts.toml)
foreach(file IN LISTS source_files)
  cmake_path(GET file PARENT_PATH folder)
  rooflab_install_source("${folder}" FILES ${CMAKE_SOURCE_DIR}/${file})
endforeach()
set(source_folders cmake data/devices include workers)
foreach(room IN LISTS ROOFLAB_WORKER_ROOMS)
  list(APPEND source_folders src/${room})
endforeach()
foreach(folder IN LISTS source_folders)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder})
    cmake_path(GET folder PARENT_PATH above)
    rooflab_install_source("${above}" DIRECTORY ${CMAKE_SOURCE_DIR}/${folder})
  endif()
endforeach()

# Third parties of those rooms: whole folders of headers, single headers, static libraries.
foreach(target IN ITEMS fmt::fmt nlohmann_json::nlohmann_json)
  string(REGEX REPLACE ":.*" "" name ${target})
  rooflab_install_source(third_party/lib/cmake/${name} FILES ${CMAKE_SOURCE_DIR}/packaging/source/header_only-config.cmake
                         RENAME ${name}-config.cmake)
endforeach()
get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(json_include nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
list(GET fmt_include 0 fmt_include)
list(GET json_include 0 json_include)
rooflab_install_source(third_party/include DIRECTORY ${fmt_include}/fmt ${json_include}/nlohmann
                       ${ROOFLAB_TOMLPLUSPLUS_INCLUDE}/toml++)
function(rooflab_install_real destination file name)  # not the link that it may be
  file(REAL_PATH ${file} file)
  rooflab_install_source(third_party/${destination} FILES ${file} RENAME ${name})
endfunction()
foreach(header IN ITEMS png.h pngconf.h pnglibconf.h jpeglib.h jmorecfg.h jerror.h jconfig.h zlib.h zconf.h)
  find_file(ROOFLAB_SOURCE_${header} ${header} HINTS ${PNG_PNG_INCLUDE_DIR} ${JPEG_INCLUDE_DIRS} ${ZLIB_INCLUDE_DIRS})
  mark_as_advanced(ROOFLAB_SOURCE_${header})
  if(ROOFLAB_SOURCE_${header})
    rooflab_install_real(include ${ROOFLAB_SOURCE_${header}} ${header})
  endif()
endforeach()
foreach(library IN ITEMS png jpeg z)
  find_library(ROOFLAB_SOURCE_lib${library} NAMES lib${library}.a)
  mark_as_advanced(ROOFLAB_SOURCE_lib${library})
  if(ROOFLAB_SOURCE_lib${library})
    rooflab_install_real(lib ${ROOFLAB_SOURCE_lib${library}} lib${library}.a)
  endif()
endforeach()

# Their licences, where Debian's packages have left them.
foreach(package IN ITEMS libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libpng-dev libjpeg62-turbo-dev
                         zlib1g-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    rooflab_install_source(third_party/licenses FILES /usr/share/doc/${package}/copyright RENAME ${package})
  endif()
endforeach()
