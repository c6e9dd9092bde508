#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "image_transform.hpp"

namespace rooflab::data {

/// Input of one training step.
struct Batch {
  std::int64_t count = 0;            ///< number of samples
  std::vector<float> images;         ///< [count, 3, height, width], normalised
  std::vector<std::int64_t> labels;  ///< [count], places in Dataset::classes()
};

/// A file that could not be read and was left out.
struct BrokenImage {
  std::string path;
  std::string reason;
};

/// A set of labelled images, addressed by index: class folders, CIFAR-10 binary, synthetic.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Names of the classes by label.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;

  /// Decodes and transforms sample `index` into `pixels`, which has 3 * height * width floats.
  /// `seed` decides the random crop and flip. May be called from several threads at once.
  ///
  /// Returns the label, or nullopt when the image is broken: then `reason` is set, and `pixels` is
  /// undefined. Throws Error (usage) for a transform that `check` refuses.
  [[nodiscard]] virtual std::optional<std::int64_t> load(std::int64_t index,
                                                         const ImageTransform& transform,
                                                         std::uint64_t seed,
                                                         std::span<float> pixels,
                                                         std::string& reason) const = 0;

  /// Path of a sample, or `file:record` where a file has many.
  [[nodiscard]] virtual std::string name_of(std::int64_t index) const = 0;

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
};

enum class Split { train, test };

/// Opens a dataset by its specification (docs/formats/datasets.md):
///
/// - `dummy`: random images with the size of ImageNet (1,281,167 to train on, 50,000 to test on,
///   1000 classes).
/// - `folder:PATH`: one folder per class, sorted by name, with .jpg, .jpeg and .png files at any
///   depth. Where PATH has train/ and val/ or test/, `split` selects one; otherwise both splits
///   have all images.
/// - `cifar10:PATH`: data_batch_1.bin ... data_batch_5.bin and test_batch.bin, there or in
///   cifar-10-batches-bin/; or class folders in train/ and test/.
///
/// Only names are read here; images are first opened by `load`. Throws Error (usage) for another
/// specification, Error (input) with path and hint for a folder that is missing or has no class
/// folder, a class folder without images, a binary file that is missing or ends within a record
/// (located by the byte).
[[nodiscard]] std::unique_ptr<Dataset> open_dataset(std::string_view specification, Split split);

/// Dataset of normally distributed images (mean 0, variance 1, regardless of the transform's
/// normalisation) with uniform labels. Sample i never changes. Throws Error (usage) unless size and
/// classes are above zero.
[[nodiscard]] std::unique_ptr<Dataset> synthetic_dataset(std::int64_t size, std::int64_t classes,
                                                         std::uint64_t seed);

/// Dataset of `most` evenly spaced samples, because the first samples of class folders are all of
/// one class. Returns the dataset itself where it has no more.
[[nodiscard]] std::shared_ptr<const Dataset> evenly_spaced(std::shared_ptr<const Dataset> all,
                                                           std::int64_t most);

}  // namespace rooflab::data
