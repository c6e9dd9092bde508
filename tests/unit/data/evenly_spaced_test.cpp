#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace rooflab::data {
namespace {

/// Ten samples, five of each class; nothing is loaded.
class TenSamples final : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return 10; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index, const ImageTransform&,
                                                 std::uint64_t, std::span<float>,
                                                 std::string&) const override {
    return index / 5;
  }
  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    return std::to_string(index);
  }

 private:
  std::vector<std::string> classes_ = {"cat", "dog"};
};

// 0, 10/4 = 2.5, 5 and 7.5, each rounded down: two of each class.
TEST(EvenlySpaced, TakesAllClasses) {
  const std::shared_ptr<const Dataset> four = evenly_spaced(std::make_shared<TenSamples>(), 4);
  ASSERT_EQ(four->size(), 4);
  EXPECT_THAT(four->classes(), testing::ElementsAre("cat", "dog"));
  std::vector<std::string> names;
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < four->size(); ++i) {
    std::string reason;
    names.push_back(four->name_of(i));
    labels.push_back(*four->load(i, {}, 0, {}, reason));
  }
  EXPECT_THAT(names, testing::ElementsAre("0", "2", "5", "7"));
  EXPECT_THAT(labels, testing::ElementsAre(0, 0, 1, 1));
}

TEST(EvenlySpaced, IsAllOfASmallerDataset) {
  const std::shared_ptr<const Dataset> all = std::make_shared<TenSamples>();
  EXPECT_EQ(evenly_spaced(all, 10), all);
  EXPECT_EQ(evenly_spaced(all, 11), all);
}

}  // namespace
}  // namespace rooflab::data
