#pragma once

#include <filesystem>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::cli {

/// Where Plotly's basic bundle lies when it is installed.
[[nodiscard]] std::filesystem::path plotly_bundle_path();

/// The page of a document, with the bundle inside, or with static pictures where it is missing, and
/// with version and date in its foot.
[[nodiscard]] std::string html_page(report::Document document);

}  // namespace rooflab::cli
