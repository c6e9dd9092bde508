#include <memory>
#include <utility>

#include "dataset.hpp"

namespace rooflab::data {
namespace {

class EvenlySpaced final : public Dataset {
 public:
  EvenlySpaced(std::shared_ptr<const Dataset> all, std::int64_t size)
      : all_(std::move(all)), size_(size) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return all_->classes(); }
  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index,
                                                 const ImageTransform& transform,
                                                 std::uint64_t seed, std::span<float> pixels,
                                                 std::string& reason) const override {
    return all_->load(place(index), transform, seed, pixels, reason);
  }
  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    return all_->name_of(place(index));
  }

 private:
  [[nodiscard]] std::int64_t place(std::int64_t index) const {
    return index * all_->size() / size_;
  }

  std::shared_ptr<const Dataset> all_;
  std::int64_t size_;
};

}  // namespace

std::shared_ptr<const Dataset> evenly_spaced(std::shared_ptr<const Dataset> all,
                                             std::int64_t most) {
  if (most >= all->size()) return all;
  return std::make_shared<const EvenlySpaced>(std::move(all), most);
}

}  // namespace rooflab::data
