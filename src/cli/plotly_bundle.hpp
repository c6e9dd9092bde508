#pragma once

#include <filesystem>
#include <string>

namespace rooflab::cli {

/// Where Plotly's basic bundle lies when it is installed.
[[nodiscard]] std::filesystem::path plotly_bundle_path();

/// Its source, or empty where it is missing: pages then hold static pictures.
[[nodiscard]] std::string plotly_bundle();

}  // namespace rooflab::cli
