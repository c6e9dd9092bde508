#pragma once

#include <filesystem>
#include <string>

#include "rooflab/page/document.hpp"

namespace rooflab::cli {

/// Path of Plotly's basic bundle when it is installed.
[[nodiscard]] std::filesystem::path plotly_bundle_path();

/// Page of a document with Plotly's bundle, or with static pictures where it is missing, and with
/// version and date in its foot.
[[nodiscard]] std::string html_page(page::Document document);

}  // namespace rooflab::cli
