// A table of made-up cells under a description, and what is wrong with others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "probe/published_ops.hpp"

namespace rooflab::probe {
namespace {

using testing::ElementsAre;

constexpr std::string_view rows_description = R"toml(table = "t.csv"
[origin]
name = "toy"
title = "Toy"
url = "https://example.org"
license = "MIT"
environment = ""
[columns]
device = "device"
time = "ms"
unit = "ms"
packed = "dims"
numbers = ["gpus"]
texts = ["op"]
[devices]
"Tesla T4" = "t4"
"Tesla P4" = "p4"
[[ops]]
when = { op = "conv" }
kind = "conv2d.forward.fp32.nchw"
names = ["b", "i", "o", "k", "size", "stride", "pad"]
[ops.sizes]
batch = "b"
pixels = "output_pixels(size, k, stride, pad)"
in_channels = "i"
out_channels = "o"
groups = "1"
kernel = "k * k"
stride = "stride * stride"
[[links]]
when = { op = "all_reduce" }
collective = "all_reduce"
ranks = "gpus"
bytes = "gpus"
bytes_each = 2
[[left_out]]
when = { op = "powu" }
why = "no kind"
)toml";

constexpr std::string_view header = "device,op,dims,gpus,ms\n";
constexpr std::string_view every_rule =
    "Tesla T4,conv,8x3x64x7x224x2x3,1,2.5\nTesla P4,all_reduce,,4,0.5\nTesla T4,powu,,1,1\n";

PublishedOps read(const std::string& text) {
  const OpDescription description =
      read_op_description(rows_description, "d.toml", {"conv2d.forward.fp32.nchw"});
  return read_published_ops(description, parse_csv(text, "t.csv"));
}

std::string error_of_row(std::string_view rows) {
  const Error error =
      thrown_error(ErrorKind::input, [&] { return read(std::string(header) + std::string(rows)); });
  return format("{} | {}", error.full_message(), error.hint());
}

// 224 x 224 becomes 112 x 112 = 12,544 pixels; 2.5 ms.
TEST(PublishedRows, BecomeOpsAndLinksOfTheirDevices) {
  const PublishedOps ops = read(std::string(header) + std::string(every_rule));
  const std::vector<PublishedRow>& rows = ops.ops.at("t4").at("conv2d.forward.fp32.nchw");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].sizes, ElementsAre(8, 12544, 3, 64, 1, 49, 4));
  EXPECT_DOUBLE_EQ(rows[0].time_s, 2.5e-3);
  ASSERT_EQ(ops.links.at("p4").size(), 1U);
  EXPECT_EQ(ops.links.at("p4")[0].ranks, 4);
  EXPECT_EQ(ops.links.at("p4")[0].bytes, 8.0);
  EXPECT_EQ(ops.links.at("p4")[0].origin, "toy");
  EXPECT_FALSE(ops.ops.contains("p4"));
}

TEST(PublishedRows, WrongHeadersAreErrors) {
  const auto message = [](const std::string& text) {
    const Error error = thrown_error(ErrorKind::input, [&] { return read(text); });
    return format("{} | {}", error.full_message(), error.hint());
  };
  EXPECT_EQ(message("device,op,dim,gpus,ms\n"),
            "t.csv:1:1: the table has no column 'dims' | did you mean 'dim'?");
  EXPECT_EQ(message("device,op,dims,gpus,ms,watts\n"),
            "t.csv:1:1: the description does not name the column 'watts' | add it to 'ignored' in "
            "[columns] of d.toml");
  EXPECT_EQ(message("device,op,dims,gpus,ms\n"),
            "t.csv:1:1: the table has no rows | a row a measurement below the header");
}

TEST(PublishedRows, WrongCellsAreErrorsAtTheirPlace) {
  EXPECT_EQ(error_of_row("Tesla T5,conv,8x3x64x7x224x2x3,1,2.5\n"),
            "t.csv:2:1: unknown device 'Tesla T5' | did you mean 'Tesla T4'?");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2x3,1,0\n"),
            "t.csv:2:34: a time must be above zero | remove the row");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2x3,1,-1\n"),
            "t.csv:2:34: a time must be above zero | remove the row");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2x3,1,nan\n"),
            "t.csv:2:34: 'nan' is not a number | the description says that this column holds "
            "numbers");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2,1,2.5\n"),
            "t.csv:2:15: '8x3x64x7x224x2' has 6 numbers, conv2d.forward.fp32.nchw takes 7 | they "
            "are b, i, o, k, size, stride, pad");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3xax7x224x2x3,1,2.5\n"),
            "t.csv:2:15: 'a' is not a number | the description says that this column holds "
            "numbers");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x2x2x0,1,2.5\n"),
            "t.csv:2:15: these numbers make no conv2d.forward.fp32.nchw: 'pixels' would be 0 | "
            "every size is 1 or more; look at the order of the names in the description");
  EXPECT_EQ(error_of_row("Tesla T4,convolution,8,1,2.5\n"),
            "t.csv:2:1: no rule fits this row | add [[ops]] or [[left_out]] with its cells to "
            "d.toml");
  EXPECT_EQ(error_of_row("Tesla T4,all_reduce,,1,2.5\n"),
            "t.csv:2:22: ranks are 2 or more | remove the row");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2x3,1\n"),
            "t.csv:2:1: this row has 4 cells, the header names 5 | the columns are device, op, "
            "dims, gpus, ms");
  EXPECT_EQ(error_of_row("Tesla T4,conv,8x3x64x7x224x2x3,1,2.5\n"),
            "d.toml:30:1: no row of the table fits this 'when' | remove it, or correct its cells");
}

}  // namespace
}  // namespace rooflab::probe
