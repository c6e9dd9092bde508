// A case that reads images from class folders instead of memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../unit/data/image_files.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

using record::Record;
using record::Status;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

class ImageFolder : public data::InFolder {
 protected:
  void SetUp() override {
    data::InFolder::SetUp();
    const std::vector<std::uint8_t> red = data::solid(80, 80, {200, 30, 10});
    const std::vector<std::uint8_t> red_row(red.begin(), red.begin() + 240);
    write("cats/1.jpg", data::jpeg_file(80, 80, red));
    write("cats/2.png",
          data::png_file(80, 80, std::vector<std::vector<std::uint8_t>>(80, red_row)));
    write("dogs/1.jpg", data::gray_jpeg(90, 70, 50));
    write("dogs/2.jpeg", data::gray_jpeg(70, 90, 100));
  }

  [[nodiscard]] Case on_folder(Phase phase, std::int64_t classes = 1000) const {
    Case request =
        short_case("resnet18", {.batch = 2, .image_size = 64, .classes = classes}, phase);
    request.identity.data = "folder:" + folder_.string();
    request.settings.iterations = 6;
    request.settings.max_time_s = 60.0;
    return request;
  }
};

// Five images are two batches an epoch: six steps meet every image.
TEST_F(ImageFolder, TimesOfTheDataAreApartAndBrokenImagesAreNamed) {
  write("dogs/broken.jpg", "this is not an image");
  for (const Phase phase : {Phase::inference, Phase::training}) {
    const Record result = run(on_folder(phase));
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.timing->steps_s.size(), 6U);
    EXPECT_EQ(result.timing->data_s.size(), 6U);
    EXPECT_EQ(result.timing->copy_s.size(), 6U);
    EXPECT_THAT(result.timing->data_s, Each(Ge(0.0)));
    EXPECT_GT(std::accumulate(result.timing->copy_s.begin(), result.timing->copy_s.end(), 0.0),
              0.0);
    EXPECT_THAT(result.broken_data,
                ElementsAre(HasSubstr((folder_ / "dogs/broken.jpg").string() + ": ")));
  }
}

TEST_F(ImageFolder, GoodImagesLeaveNoComplaint) {
  const Record result = run(on_folder(Phase::training, 2));
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_TRUE(result.broken_data.empty());
}

TEST_F(ImageFolder, MoreClassesThanScoresFail) {
  const Record result = run(on_folder(Phase::training, 1));
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.message, HasSubstr("has 2 classes, more than the network tells apart"));
}

TEST_F(ImageFolder, ThatIsMissingFails) {
  Case request = on_folder(Phase::inference);
  request.identity.data = "folder:" + (folder_ / "none").string();
  const Record result = run(request);
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.message, HasSubstr((folder_ / "none").string()));
  EXPECT_EQ(result.environment.device.kind, "cpu");
}

TEST_F(ImageFolder, OfBrokenImagesOnlyFails) {
  for (const char* const name : {"cats/1.jpg", "cats/2.png", "dogs/1.jpg", "dogs/2.jpeg"}) {
    write(name, "this is not an image");
  }
  const Record result = run(on_folder(Phase::inference));
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.message, HasSubstr("all 4 images are broken"));
}

}  // namespace
}  // namespace rooflab::engine
