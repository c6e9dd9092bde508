#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "dataset.hpp"

namespace rooflab::data {

/// Folder of CIFAR-10's binary files: `path` or `path`/cifar-10-batches-bin; nullopt when neither
/// has any of them.
[[nodiscard]] std::optional<std::filesystem::path> cifar10_binary_folder(
    const std::filesystem::path& path);

/// Opens CIFAR-10's binary files. Throws Error (input) when a file of the split is missing, empty
/// or ends within a record.
[[nodiscard]] std::unique_ptr<Dataset> open_cifar10_binary(const std::filesystem::path& folder,
                                                           Split split);

}  // namespace rooflab::data
