#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rooflab::task {

/// The worker that runs networks. Throws Error (capability) that says how to get it.
[[nodiscard]] std::filesystem::path require_torch_worker();

/// How to get libtorch and with it the worker, in a sentence.
[[nodiscard]] std::string torch_worker_advice();

/// How to get the worker rooflab-probe and its CUDA part, in a sentence.
[[nodiscard]] std::string probe_worker_advice();

/// What `profile` has the CUDA driver load into a program. Throws Error (capability) that says how
/// to get it.
[[nodiscard]] std::filesystem::path require_injected_library();
inline constexpr std::string_view injected_library = "librooflab-inject.so";

/// How to get it, in a sentence.
[[nodiscard]] std::string injected_library_advice();

/// `share/rooflab` beside the program's `bin`, in the build tree and when installed.
[[nodiscard]] std::filesystem::path share_folder();

}  // namespace rooflab::task
