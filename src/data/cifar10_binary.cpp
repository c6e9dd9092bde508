// A record is a label (0 to 9) and 3072 bytes: 1024 of red, of green, of blue, each 32 rows of 32.
// A file is a sequence of records without a header; the published ones hold 10,000. Source: the
// page of the dataset, https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version".

#include "cifar10_binary.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "system/file_descriptor.hpp"
#include "system/path_status.hpp"
#include "transform_image.hpp"

namespace rooflab::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t side = 32;
constexpr std::int64_t plane_bytes = side * side;
constexpr std::int64_t record_bytes = 1 + 3 * plane_bytes;

using Record = std::array<std::uint8_t, static_cast<std::size_t>(record_bytes)>;

std::vector<std::string> files_of(Split split) {
  if (split == Split::test) return {"test_batch.bin"};
  return {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
          "data_batch_5.bin"};
}

Image image_of(const Record& record) {
  Image image{.height = side, .width = side};
  image.pixels.resize(record.size() - 1);
  constexpr auto plane = static_cast<std::size_t>(plane_bytes);
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) image.pixels[3 * i + c] = record[1 + c * plane + i];
  }
  return image;
}

/// Records that stay on disk: reading one by its place needs no lock.
class RecordFile {
 public:
  explicit RecordFile(fs::path path) : path_(std::move(path)) {
    RegularFile opened = open_regular_file(path_);
    if (!opened.fault.empty()) {
      refuse(opened.fault, "the split consists of " + join(files_of(Split::train), ", ") +
                               " or of test_batch.bin");
    }
    file_ = std::move(opened.file);
    records_ = opened.size / record_bytes;
    const std::int64_t rest = opened.size % record_bytes;
    if (rest != 0 || records_ == 0) {
      refuse(format("the file ends after {} of a record's {} bytes", rest, record_bytes),
             "fetch it again: CIFAR-10's own files have 30,730,000 bytes", opened.size);
    }
  }

  [[nodiscard]] std::int64_t records() const { return records_; }
  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Empty, or why the record cannot be read.
  [[nodiscard]] std::string read(std::int64_t index, Record& record) const {
    return read_all_at(file_, index * record_bytes,
                       {reinterpret_cast<char*>(record.data()), record.size()});
  }

 private:
  [[noreturn]] void refuse(std::string message, std::string hint,
                           std::optional<std::int64_t> byte = std::nullopt) {
    throw Error(ErrorKind::input, std::move(message), std::move(hint),
                {.file = path_.string(), .byte_offset = byte});
  }

  fs::path path_;
  FileDescriptor file_;
  std::int64_t records_ = 0;
};

class Cifar10Binary : public Dataset {
 public:
  Cifar10Binary(const fs::path& folder, Split split) {
    for (const std::string& name : files_of(split)) {
      size_ += files_.emplace_back(folder / name).records();
    }
  }

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index,
                                                 const ImageTransform& transform,
                                                 std::uint64_t seed, std::span<float> pixels,
                                                 std::string& reason) const override {
    const auto [file, number] = place_of(index);
    Record record;
    if (const std::string fault = file->read(number, record); !fault.empty()) {
      reason = format("the record cannot be read: {}", fault);
      return std::nullopt;
    }
    if (record[0] >= classes_.size()) {
      reason = format("label {} is not 0 to 9", record[0]);
      return std::nullopt;
    }
    transform_image(view_of(image_of(record)), transform, seed, pixels);
    return record[0];
  }

  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    const auto [file, number] = place_of(index);
    return format("{}:{}", file->path().string(), number);
  }

 private:
  [[nodiscard]] std::pair<const RecordFile*, std::int64_t> place_of(std::int64_t index) const {
    ROOFLAB_ASSERT(index >= 0 && index < size_);
    auto file = files_.begin();
    for (; index >= file->records(); ++file) index -= file->records();
    return {&*file, index};
  }

  std::vector<std::string> classes_ = {"airplane", "automobile", "bird",  "cat",  "deer",
                                       "dog",      "frog",       "horse", "ship", "truck"};
  std::vector<RecordFile> files_;
  std::int64_t size_ = 0;
};

}  // namespace

std::optional<fs::path> cifar10_binary_folder(const fs::path& path) {
  for (const fs::path& folder : {path, path / "cifar-10-batches-bin"}) {
    for (const Split split : {Split::train, Split::test}) {
      for (const std::string& name : files_of(split)) {
        if (is_there(folder / name)) return folder;
      }
    }
  }
  return std::nullopt;
}

std::unique_ptr<Dataset> open_cifar10_binary(const fs::path& folder, Split split) {
  return std::make_unique<Cifar10Binary>(folder, split);
}

}  // namespace rooflab::data
