#pragma once

#include <filesystem>
#include <memory>

#include "dataset.hpp"

namespace rooflab::data {

/// Opens images in one folder per class below `root`, with the labels and order of torchvision's
/// ImageFolder. Throws Error (input) when `root` has no class folder, or a class folder has no
/// image.
[[nodiscard]] std::unique_ptr<Dataset> open_class_folders(const std::filesystem::path& root);

/// Folder of a split: `path`/train, `path`/val, `path`/test, or `path` itself where it has no such
/// pair. Throws Error (input) when `path` is not a folder or has only the other split.
[[nodiscard]] std::filesystem::path split_folder(const std::filesystem::path& path, Split split);

}  // namespace rooflab::data
