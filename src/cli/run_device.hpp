#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace rooflab::cli {

/// A device to run on: `cpu`, `cuda:0`; `cuda` is the first. Throws Error (usage) with that hint.
[[nodiscard]] std::string run_device(std::string_view text, const std::string& hint);

/// A GPU that is not there fails every case alike: better said once, before the first. Asks the
/// worker, where there is any GPU among them. Throws Error (capability).
void require_run_devices(std::span<const std::string> devices, const std::filesystem::path& worker);

}  // namespace rooflab::cli
