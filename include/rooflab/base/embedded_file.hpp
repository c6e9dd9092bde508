#pragma once

#include <string_view>

namespace rooflab {

/// A file that cmake/embed.cmake compiled into the program. Both views live as long as the program.
struct EmbeddedFile {
  std::string_view name;  ///< file name without folder
  std::string_view text;
};

}  // namespace rooflab
