#include "rooflab/base/error.hpp"

#include <gtest/gtest.h>

namespace rooflab {
namespace {

TEST(Location, Text) {
  EXPECT_EQ((Location{"a.toml", 12, 5, std::nullopt}).to_string(), "a.toml:12:5");
  EXPECT_EQ((Location{"a.toml", 12, std::nullopt, std::nullopt}).to_string(), "a.toml:12");
  EXPECT_EQ((Location{"m.onnx", std::nullopt, std::nullopt, 1024}).to_string(),
            "m.onnx: byte 1024");
  EXPECT_EQ((Location{"a.toml", std::nullopt, std::nullopt, std::nullopt}).to_string(), "a.toml");
  EXPECT_EQ(Location{}.to_string(), "");
}

TEST(Error, KeepsItsParts) {
  const Error error(ErrorKind::usage, "unknown model 'resnet55'", "did you mean 'resnet50'?",
                    Location{"a.toml", 12, 5, std::nullopt});
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_STREQ(error.what(), "unknown model 'resnet55'");
  EXPECT_EQ(error.hint(), "did you mean 'resnet50'?");
  EXPECT_EQ(error.full_message(), "a.toml:12:5: unknown model 'resnet55'");
}

TEST(Error, WithoutALocationTheMessageIsBare) {
  EXPECT_EQ(Error(ErrorKind::input, "too short").full_message(), "too short");
}

TEST(Error, TheInnerLocationWins) {
  const Error bare(ErrorKind::capability, "no GPU", "install a driver");
  const Error outer = bare.at(Location{"case.json", 3, std::nullopt, std::nullopt});
  EXPECT_EQ(outer.full_message(), "case.json:3: no GPU");
  EXPECT_EQ(outer.hint(), "install a driver");
  EXPECT_EQ(outer.kind(), ErrorKind::capability);
  EXPECT_EQ(outer.at(Location{"other.json", 9, std::nullopt, std::nullopt}).full_message(),
            "case.json:3: no GPU");
}

}  // namespace
}  // namespace rooflab
