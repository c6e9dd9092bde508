#pragma once

#include <filesystem>
#include <memory>

#include "dataset.hpp"

namespace rooflab::data {

/// Images in one folder per class below `root`; labels and order as of torchvision's ImageFolder.
/// Throws Error (input) when `root` holds no class folder, or a class folder no image.
[[nodiscard]] std::unique_ptr<Dataset> open_class_folders(const std::filesystem::path& root);

/// The folder of a split: `path`/train, `path`/val, `path`/test, or `path` itself where it holds no
/// such pair. Throws Error (input) when `path` is not a folder or only the other split is there.
[[nodiscard]] std::filesystem::path split_folder(const std::filesystem::path& path, Split split);

}  // namespace rooflab::data
