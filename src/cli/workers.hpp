#pragma once

#include <filesystem>
#include <string>

namespace rooflab::cli {

/// The worker that runs networks. Throws Error (capability) that says how to get it.
[[nodiscard]] std::filesystem::path require_torch_worker();

/// How to get libtorch and with it the worker, in a sentence.
[[nodiscard]] std::string torch_worker_advice();

}  // namespace rooflab::cli
