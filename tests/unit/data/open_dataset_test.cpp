#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/dataset.hpp"
#include "image_files.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class OpenDataset : public InFolder {
 protected:
  [[nodiscard]] std::string specification(const std::string& kind,
                                          const fs::path& path = {}) const {
    return kind + ":" + (path.empty() ? folder_ : folder_ / path).string();
  }
};
class ClassFolders : public OpenDataset {};
class Cifar10 : public OpenDataset {};

/// The whole error as the command line would print it.
std::string opening_error(const std::string& specification, Split split = Split::train,
                          ErrorKind kind = ErrorKind::input) {
  try {
    (void)open_dataset(specification, split);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.full_message() + " | " + error.hint();
  }
  return "no error";
}

/// Paths below `root` in the dataset's order.
std::vector<std::string> names_of(const Dataset& dataset, const fs::path& root) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    names.push_back(fs::relative(dataset.name_of(i), root).string());
  }
  return names;
}

/// One pixel and no normalisation: red, green, blue as stored.
constexpr ImageTransform one_pixel = {.height = 1,
                                      .width = 1,
                                      .resize = 0,
                                      .mean = {0, 0, 0},
                                      .deviation = {1.0F / 255, 1.0F / 255, 1.0F / 255}};

struct Loaded {
  std::optional<std::int64_t> label;
  std::vector<float> pixels;
  std::string reason;
};

Loaded load(const Dataset& dataset, std::int64_t index,
            const ImageTransform& transform = one_pixel) {
  Loaded loaded;
  loaded.pixels.resize(static_cast<std::size_t>(3 * transform.height * transform.width));
  loaded.label = dataset.load(index, transform, 0, loaded.pixels, loaded.reason);
  return loaded;
}

TEST(OpenUnknown, IsAUsageError) {
  for (const char* text : {"", "imagenet", "folder", "folder:", "cifar10:", "dummy:x", ":x"}) {
    EXPECT_THAT(opening_error(text, Split::train, ErrorKind::usage),
                AllOf(HasSubstr("unknown dataset"), HasSubstr("folder:PATH")))
        << text;
  }
}

// The order of torchvision's ImageFolder: classes by name; in a class by folder, then by name, as
// texts: "a" before "a/in" before "a-b".
TEST_F(ClassFolders, AreOrderedByName) {
  for (const char* path : {"b/2.png", "b/10.JPG", "B/x.jpeg", "a/z.PNG", "a/in/y.jpg",
                           "a/in-b/a.jpg", "a/notes.txt", "readme.jpg"}) {
    write(path, "");
  }
  const std::unique_ptr<Dataset> dataset = open_dataset(specification("folder"), Split::train);
  EXPECT_THAT(dataset->classes(), ElementsAre("B", "a", "b"));
  EXPECT_THAT(names_of(*dataset, folder_), ElementsAre("B/x.jpeg", "a/z.PNG", "a/in/y.jpg",
                                                       "a/in-b/a.jpg", "b/10.JPG", "b/2.png"));
}

TEST_F(ClassFolders, GiveLabelsPixelsAndReasons) {
  write("cat/1.jpg", gray_jpeg(8, 8, 60));
  write("dog/1.png", png_file(1, 1, {{10, 20, 30}}));
  write("dog/2.jpg", png_file(1, 1, {{11, 20, 30}}));  // the content counts
  write("dog/3.jpg", "");
  write("dog/4.jpg", "<html>not found</html>");
  write("dog/5.jpg", gray_jpeg(64, 64, 60).substr(0, 200));
  const std::unique_ptr<Dataset> dataset = open_dataset(specification("folder"), Split::train);
  ASSERT_EQ(dataset->size(), 6);
  EXPECT_EQ(load(*dataset, 0).label, 0);
  EXPECT_NEAR(load(*dataset, 0).pixels[0], 60, 1.01);
  EXPECT_EQ(load(*dataset, 1).label, 1);
  EXPECT_NEAR(load(*dataset, 1).pixels[2], 30, 0.01);
  EXPECT_EQ(load(*dataset, 2).label, 1);
  EXPECT_EQ(load(*dataset, 3).label, std::nullopt);
  EXPECT_EQ(load(*dataset, 3).reason, "empty file");
  EXPECT_EQ(load(*dataset, 4).reason, "neither a JPEG nor a PNG file");
  EXPECT_THAT(load(*dataset, 5).reason, HasSubstr("remature end of JPEG file"));
  const std::unique_ptr<Dataset> again = open_dataset(specification("folder"), Split::train);
  fs::remove(folder_ / "cat/1.jpg");
  EXPECT_NEAR(load(*dataset, 0).pixels[0], 60, 1.01);  // kept in memory
  EXPECT_THAT(load(*again, 0).reason, HasSubstr("No such file"));
}

TEST_F(ClassFolders, OfASplit) {
  write("train/a/1.jpg", "");
  write("train/b/1.jpg", "");
  write("val/a/2.jpg", "");
  write("test/a/3.jpg", "");
  write("meta/x.txt", "");
  const std::string given = specification("folder");
  EXPECT_THAT(names_of(*open_dataset(given, Split::train), folder_),
              ElementsAre("train/a/1.jpg", "train/b/1.jpg"));
  EXPECT_THAT(names_of(*open_dataset(given + "/", Split::test), folder_),
              ElementsAre("val/a/2.jpg"));
  fs::remove_all(folder_ / "val");
  EXPECT_THAT(names_of(*open_dataset(given, Split::test), folder_), ElementsAre("test/a/3.jpg"));
  fs::remove_all(folder_ / "test");
  fs::remove_all(folder_ / "meta");
  EXPECT_THAT(opening_error(given, Split::test),
              HasSubstr("no val/ or test/ folder next to train/"));
}

TEST_F(ClassFolders, WithoutASplitAreBoth) {
  write("train/1.jpg", "");  // rails, not a split: there are other classes
  write("bus/1.jpg", "");
  EXPECT_EQ(open_dataset(specification("folder"), Split::train)->size(), 2);
  EXPECT_EQ(open_dataset(specification("folder"), Split::test)->size(), 2);
}

TEST_F(ClassFolders, ThatAreMissingAreErrors) {
  EXPECT_THAT(opening_error(specification("folder", "none")),
              AllOf(HasSubstr("none: no such folder"), HasSubstr("one folder per class")));
  EXPECT_THAT(opening_error(specification("folder")), HasSubstr("no class folder"));
  write("cat/readme.txt", "");
  EXPECT_THAT(opening_error(specification("folder")),
              AllOf(HasSubstr("cat: no image in this class folder"), HasSubstr(".jpeg")));
  EXPECT_THAT(opening_error(specification("folder", "cat/readme.txt")), HasSubstr("not a folder"));
}

TEST_F(ClassFolders, LinkedInACircleEnd) {
  write("cat/1.jpg", "");
  fs::create_directory_symlink(folder_ / "cat", folder_ / "cat/again");
  fs::create_directory_symlink(folder_, folder_ / "cat/up");
  fs::create_symlink(folder_ / "gone", folder_ / "cat/gone.jpg");
  EXPECT_EQ(open_dataset(specification("folder"), Split::train)->size(), 1);
}

/// Red is all `red`, green counts 0, 1, 2 ... along the image, blue is all 9.
std::string record(char label, char red) {
  std::string bytes(1, label);
  bytes.append(1024, red);
  for (int i = 0; i < 1024; ++i) bytes.push_back(static_cast<char>(i % 256));
  bytes.append(1024, 9);
  return bytes;
}

TEST_F(Cifar10, BinaryFiles) {
  write("data_batch_1.bin", record(3, 1) + record(0, 2));
  for (char i = 2; i <= 5; ++i) {
    write(std::string("data_batch_") + static_cast<char>('0' + i) + ".bin",
          record(9, static_cast<char>(i + 1)));
  }
  write("test_batch.bin", record(7, 100));
  const std::unique_ptr<Dataset> dataset = open_dataset(specification("cifar10"), Split::train);
  ASSERT_EQ(dataset->size(), 6);
  EXPECT_THAT(dataset->classes(), ElementsAre("airplane", "automobile", "bird", "cat", "deer",
                                              "dog", "frog", "horse", "ship", "truck"));
  EXPECT_EQ(load(*dataset, 0).label, 3);
  EXPECT_EQ(load(*dataset, 1).label, 0);
  EXPECT_EQ(load(*dataset, 5).label, 9);
  EXPECT_NEAR(load(*dataset, 5).pixels[0], 6, 0.01);
  EXPECT_EQ(dataset->name_of(1), (folder_ / "data_batch_1.bin:1").string());
  EXPECT_EQ(dataset->name_of(3), (folder_ / "data_batch_3.bin:0").string());

  ImageTransform whole = one_pixel;
  whole.height = whole.width = 32;
  const std::vector<float> pixels = load(*dataset, 1, whole).pixels;
  EXPECT_NEAR(pixels[0], 2, 0.01);
  EXPECT_NEAR(pixels[1024 + 37], 37, 0.01);  // green, row 1, column 5
  EXPECT_NEAR(pixels[1024 + 256 + 255], 255, 0.01);
  EXPECT_NEAR(pixels[3 * 1024 - 1], 9, 0.01);

  const std::unique_ptr<Dataset> test = open_dataset(specification("cifar10"), Split::test);
  ASSERT_EQ(test->size(), 1);
  EXPECT_EQ(load(*test, 0).label, 7);
}

TEST_F(Cifar10, BinaryFilesInTheirOwnFolder) {
  write("cifar-10-batches-bin/test_batch.bin", record(7, 100));
  EXPECT_EQ(open_dataset(specification("cifar10"), Split::test)->size(), 1);
  EXPECT_THAT(opening_error(specification("cifar10")),
              AllOf(HasSubstr("data_batch_1.bin: No such file"), HasSubstr("data_batch_5.bin")));
}

TEST_F(Cifar10, BinaryFileThatEndsTooSoon) {
  write("test_batch.bin", record(7, 1) + record(7, 1).substr(0, 1000));
  EXPECT_THAT(opening_error(specification("cifar10"), Split::test),
              HasSubstr("test_batch.bin: byte 4073: the file ends after 1000 of a record's 3073"));
  write("test_batch.bin", "");
  EXPECT_THAT(opening_error(specification("cifar10"), Split::test), HasSubstr("byte 0"));
}

TEST_F(Cifar10, LabelOutOfRangeIsABrokenImage) {
  write("test_batch.bin", record(10, 1));
  const Loaded loaded = load(*open_dataset(specification("cifar10"), Split::test), 0);
  EXPECT_EQ(loaded.label, std::nullopt);
  EXPECT_EQ(loaded.reason, "label 10 is not 0 to 9");
}

TEST_F(Cifar10, ClassFolders) {
  write("train/cat/1.png", "");
  write("test/cat/2.png", "");
  EXPECT_THAT(names_of(*open_dataset(specification("cifar10"), Split::test), folder_),
              ElementsAre("test/cat/2.png"));
}

TEST_F(Cifar10, Missing) {
  EXPECT_THAT(opening_error(specification("cifar10")),
              AllOf(HasSubstr("no CIFAR-10 here"), HasSubstr("data_batch_1.bin")));
  EXPECT_THAT(opening_error(specification("cifar10", "none")), HasSubstr("no such folder"));
}

TEST(Synthetic, IsNormalAndUniform) {
  const std::unique_ptr<Dataset> dataset = synthetic_dataset(1000, 4, 7);
  EXPECT_EQ(dataset->size(), 1000);
  EXPECT_EQ(dataset->classes().size(), 4U);
  const ImageTransform transform = {.height = 5, .width = 5, .resize = 0};
  std::array<int, 4> labels{};
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Loaded loaded = load(*dataset, i, transform);
    ASSERT_TRUE(loaded.label);
    ++labels.at(static_cast<std::size_t>(*loaded.label));
    for (const float value : loaded.pixels) {
      ASSERT_TRUE(std::isfinite(value));
      sum += value;
      squares += value * value;
    }
  }
  // 75,000 numbers: deviations of 1 / sqrt(n) = 0.0037 and sqrt(2 / n) = 0.0052; of a label count
  // sqrt(1000 * 3 / 16) = 14.
  EXPECT_NEAR(sum / 75000, 0, 0.015);
  EXPECT_NEAR(squares / 75000, 1, 0.021);
  for (const int count : labels) EXPECT_NEAR(count, 250, 56);
}

TEST(Synthetic, DependsOnSeedAndIndex) {
  const std::vector<float> pixels = load(*synthetic_dataset(10, 10, 7), 3).pixels;
  EXPECT_EQ(load(*synthetic_dataset(10, 10, 7), 3).pixels, pixels);
  EXPECT_NE(load(*synthetic_dataset(10, 10, 8), 3).pixels, pixels);
  EXPECT_NE(load(*synthetic_dataset(10, 10, 7), 4).pixels, pixels);
  EXPECT_THROW((void)synthetic_dataset(0, 10, 7), Error);
  EXPECT_THROW((void)synthetic_dataset(10, 0, 7), Error);
}

TEST(Synthetic, DummyHasImageNetsSize) {
  EXPECT_EQ(open_dataset("dummy", Split::train)->size(), 1281167);
  EXPECT_EQ(open_dataset("dummy", Split::test)->size(), 50000);
  EXPECT_EQ(open_dataset("dummy", Split::test)->classes().size(), 1000U);
}

}  // namespace
}  // namespace rooflab::data
