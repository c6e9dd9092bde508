#include "onnx/file_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../base/thrown_error.hpp"

namespace rooflab::onnx {
namespace {

constexpr std::size_t size = std::size_t{1} << 20U;

std::string counting() {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(1 + i % 251);
  return text;
}

std::filesystem::path written(const std::string& name) {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << counting();
  return path;
}

TEST(FileBytes, HoldWhatWasAskedForAndZerosElsewhere) {
  const FileBytes file(written("parts.bin"));
  const std::string_view bytes = file.bytes();
  ASSERT_EQ(bytes.size(), size);
  file.load(bytes.substr(300'000, 200'000));
  EXPECT_EQ(bytes.substr(300'000, 200'000), counting().substr(300'000, 200'000));
  EXPECT_EQ(bytes[0], '\0');
  EXPECT_EQ(bytes[size - 1], '\0');
  // Parts that overlap what is there, at both ends.
  file.load(bytes.substr(size - 1));
  file.load(bytes.substr(200'000, 500'000));
  EXPECT_EQ(bytes.substr(200'000, 500'000), counting().substr(200'000, 500'000));
  file.load({});
  EXPECT_EQ(StoredBytes(bytes, &file).read(), counting());
}

TEST(FileBytes, AFileThatBecomesShorterIsAnError) {
  const std::filesystem::path path = written("shorter.bin");
  const FileBytes file(path);
  std::filesystem::resize_file(path, 1000);
  file.load(file.bytes().substr(0, 0));
  const Error error = thrown_error(ErrorKind::input, [&] { return file.load(file.bytes()); });
  EXPECT_STREQ(error.what(), "cannot read the ONNX file: the file is shorter than expected");
  EXPECT_EQ(error.location().file, path.string());
}

}  // namespace
}  // namespace rooflab::onnx
