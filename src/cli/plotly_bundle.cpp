#include "plotly_bundle.hpp"

#include "rooflab/base/file.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::cli {

std::filesystem::path plotly_bundle_path() {
  return task::share_folder() / "plotly" / "plotly-basic.min.js";
}

std::string plotly_bundle() {
  const std::filesystem::path path = plotly_bundle_path();
  return std::filesystem::is_regular_file(path) ? read_file(path) : std::string();
}

}  // namespace rooflab::cli
