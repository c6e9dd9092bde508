#include "data/batch_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "image_files.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Sample i has the label i; its first number is i, its second the low bits of the seed.
class Counted : public Dataset {
 public:
  explicit Counted(std::int64_t size, std::set<std::int64_t> broken = {})
      : size_(size), broken_(std::move(broken)) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index, const ImageTransform&,
                                                 std::uint64_t seed, std::span<float> pixels,
                                                 std::string& reason) const override {
    ++loads_;
    if (index == thrower_) throw std::runtime_error("the disk is on fire");
    // Samples end in another order than they begin.
    std::this_thread::sleep_for(std::chrono::microseconds(index % 3 * 100));
    if (broken_.contains(index)) {
      reason = "worn out";
      return std::nullopt;
    }
    pixels[0] = static_cast<float>(index);
    pixels[1] = static_cast<float>(seed % 65536);
    return index;
  }
  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    return "sample " + std::to_string(index);
  }

  [[nodiscard]] int loads() const { return loads_; }
  void throw_at(std::int64_t index) { thrower_ = index; }

 private:
  std::int64_t size_;
  std::set<std::int64_t> broken_;
  std::int64_t thrower_ = -1;
  std::vector<std::string> classes_;
  mutable std::atomic<int> loads_ = 0;
};

LoaderOptions options(std::int64_t batch, int workers = 2, bool shuffle = true) {
  return {.batch = batch,
          .workers = workers,
          .shuffle = shuffle,
          .seed = 11,
          .transform = {.height = 1, .width = 1, .resize = 0}};
}

using Labels = std::vector<std::int64_t>;

Labels epoch_of(BatchLoader& loader) {
  Labels labels;
  while (const std::optional<Batch> batch = loader.next()) {
    labels.insert(labels.end(), batch->labels.begin(), batch->labels.end());
  }
  return labels;
}

Labels sorted(Labels labels) {
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<std::string> names(const BatchLoader& loader) {
  std::vector<std::string> all;
  for (const BrokenImage& image : loader.broken()) all.push_back(image.path + ": " + image.reason);
  return all;
}

TEST(BatchLoader, WithoutShuffleGivesEverySampleInOrder) {
  LoaderOptions wanted = options(3, 3, false);
  wanted.drop_last = false;
  BatchLoader loader(std::make_shared<Counted>(7), wanted);
  EXPECT_EQ(loader.batches_per_epoch(), 3);
  const std::optional<Batch> first = loader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->count, 3);
  EXPECT_THAT(first->labels, ElementsAre(0, 1, 2));
  ASSERT_EQ(first->images.size(), 9U);
  EXPECT_EQ(first->images[3], 1.0F);
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(3, 4, 5));
  const std::optional<Batch> last = loader.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->count, 1);
  EXPECT_EQ(last->images.size(), 3U);
  EXPECT_EQ(loader.epoch(), 0);
  EXPECT_FALSE(loader.next());
  EXPECT_EQ(loader.epoch(), 1);
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(0, 1, 2));
}

TEST(BatchLoader, DropsTheLastPart) {
  BatchLoader loader(std::make_shared<Counted>(7), options(3, 1, false));
  EXPECT_EQ(loader.batches_per_epoch(), 2);
  EXPECT_THAT(epoch_of(loader), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(BatchLoader, ShufflesAnewInEveryEpoch) {
  BatchLoader loader(std::make_shared<Counted>(20), options(4));
  const Labels first = epoch_of(loader);
  const Labels second = epoch_of(loader);
  Labels all(20);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(sorted(first), all);
  EXPECT_EQ(sorted(second), all);
  EXPECT_NE(first, all);
  EXPECT_NE(first, second);
  LoaderOptions other = options(4);
  other.seed = 12;
  BatchLoader reseeded(std::make_shared<Counted>(20), other);
  EXPECT_NE(epoch_of(reseeded), first);
}

/// Everything that three epochs give.
std::vector<float> numbers(int workers, int prefetch) {
  LoaderOptions wanted = options(4, workers);
  wanted.prefetch = prefetch;
  BatchLoader loader(std::make_shared<Counted>(30, std::set<std::int64_t>{3, 4, 17}), wanted);
  std::vector<float> all;
  for (int epoch = 0; epoch < 3; ++epoch) {
    while (const std::optional<Batch> batch = loader.next()) {
      all.insert(all.end(), batch->images.begin(), batch->images.end());
      all.push_back(static_cast<float>(loader.broken().size()));
    }
  }
  return all;
}

TEST(BatchLoader, GivesTheSameWithAnyNumberOfWorkers) {
  const std::vector<float> with_one = numbers(1, 1);
  EXPECT_EQ(with_one.size(), 3U * 7 * (4 * 3 + 1));
  EXPECT_EQ(numbers(2, 2), with_one);
  EXPECT_EQ(numbers(7, 5), with_one);
}

TEST(BatchLoader, CropsDifferInEveryEpoch) {
  BatchLoader loader(std::make_shared<Counted>(4), options(4, 2, false));
  const std::vector<float> first = loader.next().value_or(Batch()).images;
  (void)loader.next();
  EXPECT_NE(loader.next().value_or(Batch()).images, first);
}

TEST(BatchLoader, SeekEqualsRunningThere) {
  const auto dataset = std::make_shared<Counted>(20);
  BatchLoader running(dataset, options(3));
  (void)epoch_of(running);
  for (int i = 0; i < 4; ++i) (void)running.next();
  const std::optional<Batch> there = running.next();
  ASSERT_TRUE(there);

  BatchLoader jumping(dataset, options(3));
  (void)jumping.next();
  jumping.seek(1, 4);
  EXPECT_EQ(jumping.epoch(), 1);
  const std::optional<Batch> landed = jumping.next();
  ASSERT_TRUE(landed);
  EXPECT_EQ(landed->labels, there->labels);
  EXPECT_EQ(landed->images, there->images);
  EXPECT_EQ(epoch_of(jumping), epoch_of(running));
  EXPECT_EQ(epoch_of(jumping), epoch_of(running));  // the next epoch too

  jumping.seek(0, 6);  // behind the last batch
  EXPECT_FALSE(jumping.next());
  EXPECT_EQ(jumping.epoch(), 1);
  EXPECT_THROW(jumping.seek(0, 7), Error);
  EXPECT_THROW(jumping.seek(-1, 0), Error);
}

TEST(BatchLoader, ReplacesABrokenImageByTheNextGoodOne) {
  const auto dataset = std::make_shared<Counted>(6, std::set<std::int64_t>{1, 2, 5});
  BatchLoader loader(dataset, options(2, 2, false));
  EXPECT_THAT(loader.broken(), IsEmpty());
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(0, 3));
  EXPECT_THAT(names(loader), ElementsAre("sample 1: worn out", "sample 2: worn out"));
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(3, 3));
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(4, 0));
  for (int epoch = 0; epoch < 3; ++epoch) (void)epoch_of(loader);
  EXPECT_THAT(names(loader),
              ElementsAre("sample 1: worn out", "sample 2: worn out", "sample 5: worn out"));
}

template <class Action>
std::string message_and_hint(ErrorKind kind, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.full_message() + " | " + error.hint();
  }
  return "no error";
}

TEST(BatchLoader, WithAllImagesBrokenIsAnError) {
  const auto dataset = std::make_shared<Counted>(4, std::set<std::int64_t>{0, 1, 2, 3});
  BatchLoader loader(dataset, options(2, 3));
  EXPECT_THAT(message_and_hint(ErrorKind::input, [&] { (void)loader.next(); }),
              AllOf(HasSubstr("sample 0: all 4 images are broken"), HasSubstr("worn out")));
  EXPECT_THAT(message_and_hint(ErrorKind::input, [&] { (void)loader.next(); }),
              HasSubstr("all 4 images"));
}

TEST(BatchLoader, PassesOnWhatAWorkerThrew) {
  const auto dataset = std::make_shared<Counted>(6);
  dataset->throw_at(3);
  BatchLoader loader(dataset, options(2, 2, false));
  EXPECT_TRUE(loader.next());
  EXPECT_THROW((void)loader.next(), std::runtime_error);
  EXPECT_THAT(loader.next().value_or(Batch()).labels, ElementsAre(4, 5));
}

TEST(BatchLoader, DecodesAheadAndNoFurther) {
  const auto dataset = std::make_shared<Counted>(100);
  LoaderOptions wanted = options(5, 2);
  wanted.prefetch = 3;
  BatchLoader loader(dataset, wanted);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (dataset->loads() < 15 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(dataset->loads(), 15);
}

TEST(BatchLoader, StopsInTheMiddle) {
  for (int i = 0; i < 20; ++i) {
    BatchLoader loader(std::make_shared<Counted>(1000), options(50, 4));
    if (i % 2 == 0) (void)loader.next();
    if (i % 3 == 0) loader.seek(5, 3);
  }
}

TEST(BatchLoader, RefusesOptionsOutOfRange) {
  const auto refusal = [](const LoaderOptions& wanted) {
    return message_and_hint(ErrorKind::usage,
                            [&] { BatchLoader(std::make_shared<Counted>(6), wanted); });
  };
  EXPECT_EQ(refusal(options(6)), "no error");
  EXPECT_THAT(refusal(options(7)), AllOf(HasSubstr("6 images, less than one batch of 7"),
                                         HasSubstr("| a batch of at most 6")));
  EXPECT_THAT(refusal(options(0)), HasSubstr("a batch of 0"));
  EXPECT_THAT(refusal(options(1, 0)), HasSubstr("0 data workers"));
  LoaderOptions wanted = options(1);
  wanted.prefetch = 0;
  EXPECT_THAT(refusal(wanted), HasSubstr("0 batches ahead"));
  wanted = options(1);
  wanted.transform.height = 0;
  EXPECT_THAT(refusal(wanted), HasSubstr("1 x 0 pixels"));
  wanted = options(7);
  wanted.drop_last = false;
  EXPECT_EQ(refusal(wanted), "no error");
}

class BatchLoaderOfFiles : public InFolder {};

TEST_F(BatchLoaderOfFiles, NamesTheBrokenOnes) {
  for (int i = 0; i < 8; ++i) {
    write("cat/" + std::to_string(i) + ".jpg", gray_jpeg(40, 30, static_cast<std::uint8_t>(i)));
    write("dog/" + std::to_string(i) + ".png", png_file(1, 1, {{1, 2, 3}}));
  }
  write("cat/3.jpg", gray_jpeg(40, 30, 3).substr(0, 300));
  write("dog/0.png", "");
  LoaderOptions wanted = options(4, 3);
  wanted.transform = {.height = 16, .width = 16, .random_crop = true, .random_flip = true};
  BatchLoader loader(open_dataset("folder:" + folder_.string(), Split::train), wanted);
  EXPECT_EQ(loader.batches_per_epoch(), 4);
  for (int epoch = 0; epoch < 2; ++epoch) {
    int batches = 0;
    while (const std::optional<Batch> batch = loader.next()) {
      EXPECT_EQ(batch->images.size(), 4U * 3 * 16 * 16);
      ++batches;
    }
    EXPECT_EQ(batches, 4);
  }
  std::vector<std::string> broken = names(loader);
  std::sort(broken.begin(), broken.end());
  ASSERT_EQ(broken.size(), 2U);
  EXPECT_THAT(broken[0], AllOf(HasSubstr("cat/3.jpg"), HasSubstr("remature end")));
  EXPECT_THAT(broken[1], HasSubstr("dog/0.png: empty file"));
}

}  // namespace
}  // namespace rooflab::data
