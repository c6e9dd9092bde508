// The budget on planted sources first, then on this very tree.

#include "size_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "project_files.hpp"

namespace rooflab::layers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string lines(int count, const std::string& line = "  x();") {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

std::vector<std::string> above_limits_in(std::string_view table, const std::string& text) {
  return check_sizes(parse_budget(table), {{"src/zoo/vgg.cpp", text}});
}

TEST(SizeBudget, FunctionsAreFoundByTheirMargins) {
  const std::string text =
      "// f() {\n"
      "template <class T>\nstd::vector<T> OpCurve::fit(int a,\n                int b) {\n" +
      lines(3) +
      "}\n\nnamespace x {\nclass A {\n public:\n  int f() const {\n    if (a) {\n      b();\n    "
      "}\n"
      "    return 1;\n  }\n};\nstruct B {\n  int x;\n};\n}  // namespace x\n";
  const std::vector<FunctionSize> found = functions_of(text);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "OpCurve::fit");
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].lines, 6);
  EXPECT_EQ(found[1].name, "f");
  EXPECT_EQ(found[1].lines, 6);
}

TEST(SizeBudget, ARoomAFileAndAFunctionHaveALimit) {
  const std::string function = "void f() {\n" + lines(69) + "}\n";  // 71 lines
  EXPECT_THAT(above_limits_in("lines zoo: 71\n", function),
              ElementsAre("src/zoo/vgg.cpp:1: f: 71 lines, the limit is 70"));
  EXPECT_THAT(above_limits_in("lines zoo: 71\nlong src/zoo/vgg.cpp f: 71\n", function), IsEmpty());
  EXPECT_THAT(above_limits_in("lines zoo: 70\nlong src/zoo/vgg.cpp f: 71\n", function),
              ElementsAre("room zoo: 71 lines, the limit is 70"));
  EXPECT_THAT(above_limits_in("lines zoo: 500\n", lines(401, "int x;")),
              ElementsAre("src/zoo/vgg.cpp: 401 lines, the limit is 400"));
  EXPECT_THAT(above_limits_in("lines zoo: 500\nlong src/zoo/vgg.cpp: 401\n", lines(401, "int x;")),
              IsEmpty());
  EXPECT_THAT(above_limits_in("", "int x;\n"),
              ElementsAre("zoo: tools/layers.txt has no `lines` of this room"));
}

TEST(SizeBudget, AnExceptionOnlyFalls) {
  EXPECT_THAT(above_limits_in("lines zoo: 500\nlong src/zoo/vgg.cpp: 450\n", lines(401, "int x;")),
              ElementsAre("src/zoo/vgg.cpp: 401 lines, the limit is 450: lower it in "
                          "tools/layers.txt"));
  EXPECT_THAT(above_limits_in("lines zoo: 500\nlong src/zoo/vgg.cpp f: 80\n", "int x;\n"),
              ElementsAre("src/zoo/vgg.cpp f: is not long any more: take it out of "
                          "tools/layers.txt"));
  EXPECT_THAT(above_limits_in("lines zoo: 9\nlong x\n", "int x;\n"),
              ElementsAre("not understood: long x"));
}

TEST(ThisProject, KeepsItsBudget) {
  std::map<std::filesystem::path, std::string> sources;
  for (const char* folder : {"include", "src", "workers", "inject"}) {
    for (const std::filesystem::path& file : files_below(folder)) {
      const std::string kind = file.extension().string();
      if (kind == ".cpp" || kind == ".hpp" || kind == ".cu" || kind == ".h") {
        sources[file] = text_of(file);
      }
    }
  }
  EXPECT_GT(sources.size(), 1000U);
  for (const std::string& finding :
       check_sizes(parse_budget(text_of("tools/layers.txt")), sources)) {
    ADD_FAILURE() << finding;
  }
}

}  // namespace
}  // namespace rooflab::layers
