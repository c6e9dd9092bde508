#include "plotly_bundle.hpp"

#include <ctime>

#include "base/format.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/session.hpp"
#include "system/utc_time.hpp"

namespace rooflab::cli {

std::filesystem::path plotly_bundle_path() {
  return task::share_folder() / "plotly" / "plotly-basic.min.js";
}

std::string html_page(page::Document document) {
  const std::filesystem::path path = plotly_bundle_path();
  document.made_by = format("Rooflab {}, {}", ROOFLAB_VERSION,
                            utc_time(static_cast<std::int64_t>(std::time(nullptr))).substr(0, 10));
  return page::render_html(
      document, std::filesystem::is_regular_file(path) ? read_file(path) : std::string());
}

}  // namespace rooflab::cli
