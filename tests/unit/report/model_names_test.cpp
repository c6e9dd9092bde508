#include "report/model_names.hpp"

#include <gtest/gtest.h>

namespace rooflab::report {
namespace {

page::Document about(const std::string& first, const std::string& second) {
  page::Document document;
  document.title = "Summary of " + first;
  document.tables.push_back({.title = second + ", batch 1",
                             .columns = {{"model", "model"}},
                             .rows = {{first}, {second}}});
  document.notes = {first + ": not counted"};
  document.command = "rooflab predict " + first;
  name_models_by_stem(document, {first, second, "resnet18"});
  return document;
}

TEST(ModelNames, AFileIsCalledByItsStem) {
  const page::Document document = about("path/to/gpt2.v2.onnx", "vgg.onnx");
  EXPECT_EQ(document.title, "Summary of gpt2.v2");
  EXPECT_EQ(document.tables[0].title, "vgg, batch 1");
  EXPECT_EQ(document.tables[0].rows[0][0].text, "gpt2.v2");
  EXPECT_EQ(document.tables[0].rows[0][0].raw, "path/to/gpt2.v2.onnx");
  EXPECT_EQ(document.notes[0].text, "gpt2.v2: not counted");
  EXPECT_EQ(document.command, "rooflab predict path/to/gpt2.v2.onnx");
}

TEST(ModelNames, ThePathStaysWhereTwoWouldHaveOneName) {
  const page::Document document = about("a/net.onnx", "b/net.onnx");
  EXPECT_EQ(document.tables[0].rows[0][0].text, "a/net.onnx");
  EXPECT_EQ(document.tables[0].rows[1][0].text, "b/net.onnx");
  // Nor may a file take the name of a built-in network.
  EXPECT_EQ(about("a/resnet18.onnx", "vgg.onnx").tables[0].rows[0][0].text, "a/resnet18.onnx");
}

TEST(ModelNames, NamesThatAreNoFilesStay) {
  EXPECT_EQ(about("linear(64,0.5)", "vgg16").tables[0].rows[0][0].text, "linear(64,0.5)");
}

}  // namespace
}  // namespace rooflab::report
