#include "rooflab/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace rooflab {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b,c", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Join, PutsTheSeparatorBetween) {
  const std::vector<std::string> parts = {"a", "", "c"};
  EXPECT_EQ(join(parts, ", "), "a, , c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Trim, BlanksAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Lowercase, AsciiOnly) { EXPECT_EQ(lowercase("ResNet-18 \xc3\x84"), "resnet-18 \xc3\x84"); }

TEST(ParseInteger, WholeText) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", " 42", "42 ", "+42", "4.2", "0x2a", "9223372036854775808", "4k"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ParseNumber, WholeTextAndFinite) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("-1e-3"), -0.001);
  EXPECT_EQ(parse_number("3"), 3.0);
  for (const char* text : {"", " 1", "1,5", "1.5s", "inf", "nan", "1e999"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(Nearest, FindsTypos) {
  const std::vector<std::string> models = {"resnet18", "resnet50", "vgg16", "alexnet"};
  EXPECT_EQ(nearest("resnet55", models), "resnet50");
  EXPECT_EQ(nearest("ALEXNET", models), "alexnet");
  EXPECT_EQ(nearest("vg16", models), "vgg16");
  EXPECT_EQ(nearest("transformer", models), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
  const std::vector<std::string> precisions = {"fp64", "fp32", "tf32", "amp"};
  EXPECT_EQ(nearest("fp8", precisions), std::nullopt);
  EXPECT_EQ(nearest("apm", precisions), "amp");
  EXPECT_EQ(nearest("tf3", precisions), "tf32");
  const std::vector<std::string> flags = {"batch", "optimizer", "phase", "format", "formula"};
  EXPECT_EQ(nearest("opt", flags), "optimizer");
  EXPECT_EQ(nearest("o", flags), std::nullopt);
  EXPECT_EQ(nearest("for", flags), std::nullopt);  // of two
  EXPECT_EQ(nearest("", std::vector<std::string>{"t4"}), std::nullopt);
}

TEST(NearHint, NamesTheNearest) {
  const std::vector<std::string> models = {"resnet18", "resnet50"};
  EXPECT_EQ(near_hint("resnet55", models, "see the list"), "did you mean 'resnet50'?");
  EXPECT_EQ(near_hint("resnet55", models, "see the list", "rooflab models"),
            "did you mean 'resnet50'? (rooflab models)");
  EXPECT_EQ(near_hint("vgg", models, "see the list", "rooflab models"), "see the list");
}

TEST(Si, ScalesToAPrefix) {
  EXPECT_EQ(si(464.4e9, "FLOP"), "464.4 GFLOP");
  EXPECT_EQ(si(3.1e-3, "s"), "3.1 ms");
  EXPECT_EQ(si(1'800'000, ""), "1.8 M");
  EXPECT_EQ(si(12, ""), "12");
  EXPECT_EQ(si(12, "B"), "12 B");
  EXPECT_EQ(si(-2.5e-6, "s"), "-2.5 us");
  EXPECT_EQ(si(0, "s"), "0 s");
  EXPECT_EQ(si(0, ""), "0");
}

TEST(Si, RoundsToDigitsAndNeverTo1000OfAPrefix) {
  EXPECT_EQ(si(1234567, "B"), "1.235 MB");
  EXPECT_EQ(si(1234567, "B", 2), "1.2 MB");
  EXPECT_EQ(si(999'999, "B"), "1 MB");
  EXPECT_EQ(si(999'900, "B"), "999.9 kB");
}

TEST(PlainNumber, HasFourDigitsAndNoExponent) {
  EXPECT_EQ(plain_number(0.0), "0");
  EXPECT_EQ(plain_number(0.98765), "0.9877");
  EXPECT_EQ(plain_number(-12.3456), "-12.35");
  EXPECT_EQ(plain_number(999.96), "1,000");
  EXPECT_EQ(plain_number(13281.4), "13,281");
  EXPECT_EQ(plain_number(-1000.5), "-1,001");
  EXPECT_EQ(plain_number(2e15), "2e+15");
  EXPECT_EQ(plain_number(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(WithThousands, GroupsOfThree) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(12'345'678), "12,345,678");
  EXPECT_EQ(with_thousands(-123'456), "-123,456");
}

TEST(Mebibytes, TwoDecimals) {
  EXPECT_EQ(mebibytes(1'048'576), "1.00");
  EXPECT_EQ(mebibytes(46'758'048), "44.59");  // ResNet-18's parameters in fp32
  EXPECT_EQ(mebibytes(0), "0.00");
}

TEST(EscapeHtml, TextAndAttributes) {
  EXPECT_EQ(escape_html("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

}  // namespace
}  // namespace rooflab
