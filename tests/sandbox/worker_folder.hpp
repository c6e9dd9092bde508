#pragma once

#include <filesystem>

namespace sandbox {

/// Makes a folder with links to the workers in another; the fake rooflab-torch is also
/// rooflab-probe where that is missing.
void make_worker_folder(const std::filesystem::path& folder, const std::filesystem::path& workers);

}  // namespace sandbox
