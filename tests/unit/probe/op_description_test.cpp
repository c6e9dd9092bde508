#include "probe/op_description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"

namespace rooflab::probe {
namespace {

using testing::ElementsAre;

const std::vector<std::string> known_kinds = {"conv2d.forward.fp32.nchw", "linear.forward.fp32",
                                              "linear.data_gradient.bf16", "relu.forward.f32"};

constexpr std::string_view good_description = R"toml(table = "t.csv"
launch_in_time = true
reference = "h200-sxm"

[origin]
name = "toy"
title = "Toy"
url = "https://example.org"
license = "MIT"
environment = "PyTorch 9"

[columns]
device = "gpu"
time = "ms"
unit = "ms"
packed = "dims"
texts = ["op"]
ignored = ["kernels"]

[devices]
"Tesla T4" = "t4"

[[ops]]
when = { op = "linear" }
kind = "linear.forward.fp32"
names = ["b", "m", "i", "o"]
sizes = { rows = "b * m", in_features = "i", out_features = "o" }
factor_by = "rows"
corrections = { t4 = { factor = 0.5, spread = 0.1, why = "because" } }

[[left_out]]
when = { op = "powu" }
why = "no kind"
)toml";

/// The good_description description with one text replaced.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(good_description);
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of_description(const std::string& text) {
  const Error error = thrown_error(
      ErrorKind::input, [&] { return read_op_description(text, "d.toml", known_kinds); });
  return format("{} | {}", error.full_message(), error.hint());
}

TEST(OpDescription, ReadsEveryKey) {
  const OpDescription d = read_op_description(good_description, "d.toml", known_kinds);
  EXPECT_EQ(d.table, "t.csv");
  EXPECT_TRUE(d.launch_in_time);
  EXPECT_EQ(d.reference, "h200-sxm");
  EXPECT_EQ(d.origin_name, "toy");
  EXPECT_EQ(d.origin.license, "MIT");
  EXPECT_EQ(d.seconds_each, 1e-3);
  EXPECT_EQ(d.separator, 'x');
  EXPECT_EQ(d.devices.at("Tesla T4"), "t4");
  EXPECT_THAT(d.columns(), ElementsAre("gpu", "ms", "dims", "op", "kernels"));
  ASSERT_EQ(d.ops.size(), 1U);
  EXPECT_EQ(d.ops[0].kind, "linear.forward.fp32");
  ASSERT_EQ(d.ops[0].sizes.size(), 3U);
  EXPECT_EQ(d.ops[0].sizes[0].value(std::vector{2.0, 3.0, 4.0, 5.0}), 6.0);
  EXPECT_EQ(d.ops[0].factor_by, 0U);
  EXPECT_EQ(d.ops[0].corrections.at("t4").factor, 0.5);
  ASSERT_EQ(d.left_out.size(), 1U);
}

TEST(OpDescription, KindsOfTheGraphsFunctionsAndLaterTypesAreKnown) {
  EXPECT_EQ(
      read_op_description(changed("linear.forward.fp32", "linear.forward.fp8"), "d", known_kinds)
          .ops[0]
          .kind,
      "linear.forward.fp8");
}

TEST(OpDescription, WrongOnesAreErrorsAtTheirPlace) {
  EXPECT_EQ(error_of_description(changed("launch_in_time", "launches")),
            "d.toml:2:1: unknown key 'launches' in the file | keys allowed here: table, "
            "launch_in_time, reference, origin, columns, devices, ops, links, left_out");
  EXPECT_EQ(error_of_description(changed("unit = \"ms\"", "unit = \"min\"")),
            "d.toml:15:8: 'min' is not a unit of time | units allowed here: s, ms, us");
  EXPECT_EQ(error_of_description(changed("linear.forward.fp32", "lienar.forward.fp32")),
            "d.toml:25:8: unknown kind 'lienar.forward.fp32' | did you mean "
            "'linear.forward.fp32'?");
  EXPECT_EQ(error_of_description(changed("linear.forward.fp32", "linear.forward.fp32.nchw")),
            "d.toml:25:8: unknown kind 'linear.forward.fp32.nchw' | did you mean "
            "'conv2d.forward.fp32.nchw'?");
  EXPECT_EQ(error_of_description(changed("in_features = \"i\", ", "")),
            "d.toml:27:9: 'ops[0].sizes' lacks the key 'in_features' | ");
  EXPECT_EQ(error_of_description(changed("\"b * m\"", "\"b * n\"")),
            "d.toml:27:18: unknown size 'n' | did you mean 'b'?");
  EXPECT_EQ(error_of_description(changed("{ op = \"linear\" }", "{ opp = \"linear\" }")),
            "d.toml:24:16: 'opp' is not a column that can choose rows | did you mean 'op'?");
  EXPECT_EQ(error_of_description(changed("factor_by = \"rows\"", "factor_by = \"heads\"")),
            "d.toml:28:13: 'heads' is not a size of linear.forward.fp32 | ");
  EXPECT_EQ(error_of_description(changed("ignored = [\"kernels\"]", "ignored = [\"op\"]")),
            "d.toml:12:1: the column 'op' is named twice | each column has one use");
  EXPECT_EQ(error_of_description(changed("factor = 0.5", "factor = 0")),
            "d.toml:29:33: 'ops[0].corrections.t4.factor' must be above zero | ");
  EXPECT_EQ(error_of_description(changed("names = [\"b\", \"m\", \"i\", \"o\"]\n", "")),
            "d.toml:23:1: the numbers of these rows have no names | names = [\"rows\", "
            "\"width\"], in their order");
}

}  // namespace
}  // namespace rooflab::probe
