#include "base/format.hpp"
#include "cifar10_binary.hpp"
#include "class_folders.hpp"
#include "dataset.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

namespace fs = std::filesystem;

// Of ImageNet (ILSVRC 2012): training and validation images, classes.
constexpr std::int64_t dummy_train_size = 1'281'167;
constexpr std::int64_t dummy_test_size = 50'000;
constexpr std::int64_t dummy_classes = 1000;

std::unique_ptr<Dataset> open_cifar10(const fs::path& path, Split split) {
  if (const std::optional<fs::path> folder = cifar10_binary_folder(path)) {
    return open_cifar10_binary(*folder, split);
  }
  const fs::path root = split_folder(path, split);
  if (root == path) {
    throw Error(ErrorKind::input, "no CIFAR-10 here",
                "the folder holds data_batch_1.bin and the others, or train/ and test/ with one "
                "folder per class",
                {.file = path.string()});
  }
  return open_class_folders(root);
}

/// `a//b/` and `a/b` give samples the same names.
fs::path tidy(std::string_view text) {
  const fs::path path = fs::path(text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::unique_ptr<Dataset> open_dataset(std::string_view specification, Split split) {
  if (specification == "dummy") {
    const bool train = split == Split::train;
    return synthetic_dataset(train ? dummy_train_size : dummy_test_size, dummy_classes,
                             train ? 0 : 1);
  }
  const std::size_t colon = specification.find(':');
  const std::string_view kind = specification.substr(0, colon);
  const std::string_view path =
      colon == std::string_view::npos ? std::string_view() : specification.substr(colon + 1);
  if (!path.empty() && kind == "folder") {
    return open_class_folders(split_folder(tidy(path), split));
  }
  if (!path.empty() && kind == "cifar10") return open_cifar10(tidy(path), split);
  throw Error(ErrorKind::usage, format("unknown dataset '{}'", specification),
              "dummy, folder:PATH or cifar10:PATH");
}

}  // namespace rooflab::data
