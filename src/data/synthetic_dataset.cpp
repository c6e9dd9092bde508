// Normal numbers by the Box-Muller transform: of two uniform numbers u (above 0) and v,
// sqrt(-2 ln u) cos(2 pi v) and sqrt(-2 ln u) sin(2 pi v) are independent and normal. Source: Box,
// Muller, "A note on the generation of random normal deviates", 1958.

#include <cmath>
#include <numbers>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "dataset.hpp"
#include "random_stream.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

class SyntheticDataset : public Dataset {
 public:
  SyntheticDataset(std::int64_t size, std::int64_t classes, std::uint64_t seed)
      : size_(size), seed_(seed) {
    for (std::int64_t i = 0; i < classes; ++i) classes_.push_back(format("class {}", i));
  }

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index,
                                                 const ImageTransform& transform,
                                                 std::uint64_t /*seed*/, std::span<float> pixels,
                                                 std::string& /*reason*/) const override {
    check(transform);
    ROOFLAB_ASSERT(index >= 0 && index < size_);
    RandomStream random(derived_seed(seed_, static_cast<std::uint64_t>(index)));
    const std::int64_t label = random.below(static_cast<std::int64_t>(classes_.size()));
    for (std::size_t i = 0; i < pixels.size(); i += 2) {
      const auto u = static_cast<float>(1 - random.unit());
      const auto v = static_cast<float>(random.unit());
      const float radius = std::sqrt(-2 * std::log(u));
      const float angle = 2 * std::numbers::pi_v<float> * v;
      pixels[i] = radius * std::cos(angle);
      if (i + 1 < pixels.size()) pixels[i + 1] = radius * std::sin(angle);
    }
    return label;
  }

  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    return format("synthetic:{}", index);
  }

 private:
  std::int64_t size_;
  std::uint64_t seed_;
  std::vector<std::string> classes_;
};

}  // namespace

std::unique_ptr<Dataset> synthetic_dataset(std::int64_t size, std::int64_t classes,
                                           std::uint64_t seed) {
  if (size < 1 || classes < 1) {
    throw Error(ErrorKind::usage,
                format("a synthetic dataset of {} images and {} classes", size, classes),
                "both are at least 1");
  }
  return std::make_unique<SyntheticDataset>(size, classes, seed);
}

}  // namespace rooflab::data
