#include "plotly_bundle.hpp"

#include "console.hpp"
#include "rooflab/base/file.hpp"

namespace rooflab::cli {

std::filesystem::path plotly_bundle_path() {
  return share_folder() / "plotly" / "plotly-basic.min.js";
}

std::string plotly_bundle() {
  const std::filesystem::path path = plotly_bundle_path();
  return std::filesystem::is_regular_file(path) ? read_file(path) : std::string();
}

}  // namespace rooflab::cli
