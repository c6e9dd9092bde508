// The text is written by hand after docs/formats/calibration.md; the writer has no part in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::string_view calibration_head = R"(id = "toy-1"
device_name = "Toy 1"
)";

/// Reads the calibration_head with `lines` from line 3 on.
Calibration read_figures(std::string_view lines) {
  return read_calibration(std::string(calibration_head).append(lines), "toy.toml");
}

Error calibration_error(std::string_view lines) {
  return thrown_error(ErrorKind::input, [&] { return read_figures(lines); });
}

/// A figure on line 4; the text of `change` in place of its part `what`.
Error error_of_figure(std::string_view what, std::string_view change) {
  std::string line =
      R"({ name = "dram.read", unit = "B/s", value = 3, least = 2, most = 4, repetitions = 5 })";
  line.replace(line.find(what), what.size(), change);
  return calibration_error(format("figures = [\n{}\n]\n", line));
}

/// Rows from line 6 on, of two columns.
std::string table_of(std::string_view rows) {
  return format("[ops.\"relu.forward.fp32\"]\ncolumns = [\"in\", \"out\"]\nrows = '''\n{}'''\n",
                rows);
}

TEST(CalibrationReader, ReadsEveryKey) {
  const Calibration c = read_figures(R"(device = "toy"
command = "rooflab probe --device cuda"
notes = ["no cuBLASLt"]
figures = [
  { name = "dram.read", unit = "B/s", value = 4.5e12, least = 4.4e12, most = 4.6e12, repetitions = 20, at = "8 GiB" },
  { name = "launch.issue", unit = "s", value = 2e-06, least = 1e-06, most = 3e-06, repetitions = 1 },
]
vector_additions = [
  { launch = "cpu", memory = "host", elements = 1000000, kernel_s = 0.001, total_s = 0.0011, correct = true },
  { launch = "Nx256", memory = "device", elements = 5, kernel_s = 1e-5, to_device_s = 0, to_host_s = 0.5, total_s = 1, correct = false },
]
[environment]
driver = "580.1"
"sm clock" = "1980 MHz"
[host.pytorch]
issuer = "pytorch"
version = "2.11.0"
cpu = "Some CPU"
loss_s = 5e-05
step_s = 1e-04
module_call_s = 1.5e-06
optimizer_fixed_s = { sgd-momentum = 2e-05 }
optimizer_per_tensor_s = { sgd-momentum = 3e-07 }
[host.pytorch.ops]
conv2d = { inference_s = 2e-05, forward_s = 3e-05, backward_s = 4e-05 }
view = { inference_s = 1e-06 }
[host.rooflab]
issuer = "rooflab"
version = "1.13.1"
cpu = "Some CPU"
loss_s = 0
step_s = 0
[ops."conv2d.forward.tf32.nchw"]
columns = ["batch", "pixels", "in_channels"]
curve = [0.5, -1, 2.25]
lengths = [1, 2, 3]
noise = 0.01
amplitude = 0.2
error = 0.08
rows = '''
64 3136 64 0.00012345 1234567
  1	49 0.5  1e-05   -  

'''
)");
  EXPECT_EQ(c.id, "toy-1");
  EXPECT_EQ(c.device, "toy");
  EXPECT_EQ(c.device_name, "Toy 1");
  EXPECT_EQ(c.command, "rooflab probe --device cuda");
  EXPECT_THAT(c.notes, ElementsAre(sentence("no cuBLASLt")));
  EXPECT_THAT(c.environment, ElementsAre(Pair("driver", "580.1"), Pair("sm clock", "1980 MHz")));

  ASSERT_EQ(c.figures.size(), 2U);
  const MeasuredFigure* const dram = c.find("dram.read");
  ASSERT_NE(dram, nullptr);
  EXPECT_EQ(dram->unit, "B/s");
  EXPECT_EQ(dram->value, 4.5e12);
  EXPECT_EQ(dram->least, 4.4e12);
  EXPECT_EQ(dram->most, 4.6e12);
  EXPECT_EQ(dram->repetitions, 20);
  EXPECT_EQ(dram->at, "8 GiB");
  EXPECT_EQ(c.figures[1].at, "");

  ASSERT_EQ(c.vector_additions.size(), 2U);
  EXPECT_EQ(c.vector_additions[0].elements, 1'000'000);
  EXPECT_EQ(c.vector_additions[0].kernel_s, 0.001);
  EXPECT_EQ(c.vector_additions[0].total_s, 0.0011);
  EXPECT_EQ(c.vector_additions[0].to_device_s, std::nullopt);
  EXPECT_TRUE(c.vector_additions[0].correct);
  EXPECT_EQ(c.vector_additions[1].launch, "Nx256");
  EXPECT_EQ(c.vector_additions[1].memory, "device");
  EXPECT_EQ(c.vector_additions[1].to_device_s, 0.0);
  EXPECT_EQ(c.vector_additions[1].to_host_s, 0.5);
  EXPECT_FALSE(c.vector_additions[1].correct);

  ASSERT_EQ(c.hosts.size(), 2U);
  EXPECT_EQ(c.hosts[0].issuer, "pytorch");
  EXPECT_EQ(c.hosts[0].version, "2.11.0");
  EXPECT_EQ(c.hosts[0].cpu, "Some CPU");
  EXPECT_EQ(c.hosts[0].loss_s, 5e-05);
  EXPECT_EQ(c.hosts[0].step_s, 1e-04);
  EXPECT_EQ(c.hosts[0].module_call_s, 1.5e-06);
  EXPECT_THAT(c.hosts[0].optimizer_fixed_s, ElementsAre(Pair("sgd-momentum", 2e-05)));
  EXPECT_THAT(c.hosts[0].optimizer_per_tensor_s, ElementsAre(Pair("sgd-momentum", 3e-07)));
  EXPECT_EQ(c.hosts[0].ops.at("conv2d").inference_s, 2e-05);
  EXPECT_EQ(c.hosts[0].ops.at("conv2d").forward_s, 3e-05);
  EXPECT_EQ(c.hosts[0].ops.at("conv2d").backward_s, 4e-05);
  EXPECT_EQ(c.hosts[0].ops.at("view").forward_s, std::nullopt);
  EXPECT_EQ(c.hosts[1].issuer, "rooflab");
  EXPECT_EQ(c.hosts[1].module_call_s, std::nullopt);

  ASSERT_EQ(c.ops.size(), 1U);
  const OpTable& ops = c.ops.at("conv2d.forward.tf32.nchw");
  EXPECT_THAT(ops.columns, ElementsAre("batch", "pixels", "in_channels"));
  EXPECT_THAT(ops.curve, ElementsAre(0.5, -1.0, 2.25));
  EXPECT_THAT(ops.lengths, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_EQ(ops.noise, 0.01);
  EXPECT_EQ(ops.amplitude, 0.2);
  EXPECT_EQ(ops.error, 0.08);
  ASSERT_EQ(ops.rows.size(), 2U);
  EXPECT_THAT(ops.rows[0].sizes, ElementsAre(64.0, 3136.0, 64.0));
  EXPECT_EQ(ops.rows[0].time_s, 0.00012345);
  EXPECT_EQ(ops.rows[0].workspace_bytes, 1234567.0);
  EXPECT_THAT(ops.rows[1].sizes, ElementsAre(1.0, 49.0, 0.5));
  EXPECT_EQ(ops.rows[1].time_s, 1e-05);
  EXPECT_EQ(ops.rows[1].workspace_bytes, std::nullopt);
}

TEST(CalibrationReader, ReadsTheExampleOfTheManual) {
  const std::string manual =
      read_file(std::filesystem::path(ROOFLAB_SOURCE_DIR) / "docs/formats/calibration.md");
  constexpr std::string_view fence = "```toml\n";
  const std::size_t begin = manual.find(fence) + fence.size();
  const std::string example = manual.substr(begin, manual.find("```", begin) - begin);
  const Calibration c = read_calibration(example, "calibration.md");
  EXPECT_EQ(c.figures.size(), 2U);
  EXPECT_EQ(c.vector_additions.at(1).to_host_s, 0.0005);
  EXPECT_EQ(c.hosts.at(0).ops.at("conv2d").backward_s, 4e-05);
  EXPECT_EQ(c.ops.at("conv2d.forward.tf32.nchw").rows.at(1).time_s, 6.5e-05);
}

TEST(CalibrationReader, OnlyIdAndNameMustBeThere) {
  const Calibration c = read_figures("");
  EXPECT_EQ(c.device, "");
  EXPECT_THAT(c.figures, IsEmpty());
  EXPECT_THAT(c.ops, IsEmpty());
  EXPECT_THAT(c.hosts, IsEmpty());
  try {
    (void)read_calibration("id = \"toy\"\n", "toy.toml");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacks the key 'device_name'"));
  }
}

TEST(CalibrationReader, WrongSyntaxHasItsPlace) {
  const Error error = calibration_error("figures = [\n");
  EXPECT_THAT(error.what(), HasSubstr("not valid TOML"));
  EXPECT_EQ(error.location().file, "toy.toml");
  EXPECT_TRUE(error.location().line.has_value());
}

TEST(CalibrationReader, UnknownKeysAreErrorsWithAHint) {
  const Error top = calibration_error("comand = \"x\"\n");
  EXPECT_EQ(top.full_message(), "toy.toml:3:1: unknown key 'comand' in the file");
  EXPECT_EQ(top.hint(), "did you mean 'command'?");
  const Error figure = error_of_figure("least", "leat");
  EXPECT_EQ(figure.full_message(), "toy.toml:4:48: unknown key 'leat' in 'figures[0]'");
  EXPECT_EQ(figure.hint(), "did you mean 'least'?");
  EXPECT_THAT(calibration_error("vector_additions = [{ size = 1 }]\n").what(),
              HasSubstr("unknown key 'size' in 'vector_additions[0]'"));
  EXPECT_THAT(calibration_error("[host.pytorch]\ncosts = 1\n").what(),
              HasSubstr("unknown key 'costs' in 'host.pytorch'"));
  EXPECT_THAT(
      calibration_error("[host.pytorch]\nissuer = \"pytorch\"\nversion = \"\"\ncpu = \"\"\n"
                        "loss_s = 0\nstep_s = 0\n[host.pytorch.ops]\nview = { forwards_s = 1 }\n")
          .full_message(),
      HasSubstr("toy.toml:10:10: unknown key 'forwards_s' in 'host.pytorch.ops.view'"));
  EXPECT_THAT(calibration_error("[ops.relu]\nrow = 5\n").what(),
              HasSubstr("unknown key 'row' in 'ops.relu'"));
}

TEST(CalibrationReader, FiguresAreComplete) {
  EXPECT_EQ(error_of_figure("unit = \"B/s\", ", "").full_message(),
            "toy.toml:4:1: 'figures[0]' lacks the key 'unit'");
  const Error unit = error_of_figure("B/s", "GB/s");
  EXPECT_EQ(unit.full_message(), "toy.toml:4:30: 'figures[0]' has the wrong unit 'GB/s'");
  EXPECT_EQ(unit.hint(), "units allowed here: B/s, FLOP/s, OP/s, s, B, 1");
  EXPECT_EQ(error_of_figure("value = 3", "value = 0").full_message(),
            "toy.toml:4:45: 'figures[0].value' must be above zero");
  EXPECT_THAT(error_of_figure("least = 2", "least = -2").what(),
              HasSubstr("'figures[0].least' must be above zero"));
  EXPECT_THAT(error_of_figure("value = 3", "value = nan").what(),
              HasSubstr("must be a finite number"));
  EXPECT_THAT(error_of_figure("most = 4", "most = inf").what(),
              HasSubstr("must be a finite number"));
  EXPECT_THAT(error_of_figure("most = 4", "most = 2.5").full_message(),
              HasSubstr("toy.toml:4:45: 'figures[0].value' is not between least and most"));
  EXPECT_THAT(error_of_figure("repetitions = 5", "repetitions = 0").what(),
              HasSubstr("'figures[0].repetitions' must be 1 or more"));
  EXPECT_THAT(error_of_figure("dram.read", " ").what(), HasSubstr("'figures[0].name' is empty"));
}

TEST(CalibrationReader, AFigureIsThereOnce) {
  const std::string figure =
      R"({ name = "a", unit = "s", value = 1, least = 1, most = 1, repetitions = 1 },)";
  EXPECT_EQ(calibration_error(format("figures = [\n{}\n{}\n]\n", figure, figure)).full_message(),
            "toy.toml:5:10: a second figure with the name 'a'");
}

TEST(CalibrationReader, RowsHaveTheWidthOfTheirColumns) {
  const Error few = calibration_error(table_of("1 2 3e-5 -\n1 2 3e-5\n"));
  EXPECT_EQ(few.full_message(), "toy.toml:7:9: this row has 3 values, its table asks for 4");
  EXPECT_EQ(few.hint(), "2 sizes, the time in seconds and the workspace in bytes or '-'");
  EXPECT_EQ(calibration_error(table_of("1\n")).full_message(),
            "toy.toml:6:2: this row has 1 values, its table asks for 4");
  EXPECT_EQ(calibration_error(table_of("1 2 3e-5 - 7\n")).full_message(),
            "toy.toml:6:12: this row has more than the 4 values that its table asks for");
}

TEST(CalibrationReader, AWrongNumberOfARowHasItsPlace) {
  EXPECT_EQ(calibration_error(table_of("1 2 3e-5 -\n\n1 2x 3e-5 -\n")).full_message(),
            "toy.toml:8:3: '2x' is not a number");
  EXPECT_EQ(calibration_error(table_of("1 2 nan -\n")).full_message(),
            "toy.toml:6:5: 'nan' is not a number");
  EXPECT_EQ(calibration_error(table_of("1 2 1e999 -\n")).full_message(),
            "toy.toml:6:5: '1e999' is not a number");
  EXPECT_EQ(calibration_error(table_of("1 - 3e-5 -\n")).full_message(),
            "toy.toml:6:3: '-' is not a number");
  EXPECT_EQ(calibration_error(table_of("1 -2 3e-5 -\n")).full_message(),
            "toy.toml:6:3: a size must not be below zero");
  EXPECT_EQ(calibration_error(table_of("1 2 0 -\n")).full_message(),
            "toy.toml:6:5: a time must be above zero");
  EXPECT_EQ(calibration_error(table_of("1 2 3e-5 -5\n")).full_message(),
            "toy.toml:6:10: a workspace must not be below zero");
  EXPECT_EQ(calibration_error(table_of("1 2 3e-5 --\n")).full_message(),
            "toy.toml:6:10: '--' is not a number");
}

// The first row may stand on the line of the quotes.
TEST(CalibrationReader, RowsMayBeginAtTheQuotes) {
  const Calibration c =
      read_figures("[ops.relu]\ncolumns = [\"in\"]\nrows = '''1 2 -\r\n3 4 5'''\n");
  const OpTable& ops = c.ops.at("relu");
  ASSERT_EQ(ops.rows.size(), 2U);
  EXPECT_EQ(ops.rows[0].time_s, 2.0);
  EXPECT_EQ(ops.rows[1].workspace_bytes, 5.0);
  EXPECT_EQ(
      calibration_error("[ops.relu]\ncolumns = [\"in\"]\nrows = '''x 2 -'''\n").full_message(),
      "toy.toml:5:11: 'x' is not a number");
}

TEST(CalibrationReader, RowsAreALiteralText) {
  const Error error = calibration_error("[ops.relu]\ncolumns = [\"in\"]\nrows = \"1 2 -\"\n");
  EXPECT_EQ(error.full_message(), "toy.toml:5:8: 'ops.relu.rows' must be a text between '''");
  EXPECT_THAT(calibration_error("[ops.relu]\ncolumns = [\"in\"]\nrows = [1, 2]\n").what(),
              HasSubstr("must be a string and is an array"));
}

TEST(CalibrationReader, ColumnsAreNamedOnce) {
  EXPECT_THAT(
      calibration_error("[ops.relu]\ncolumns = [\"in\", \"in\"]\nrows = ''''''\n").full_message(),
      HasSubstr("toy.toml:4:18: a second column with the name 'in'"));
  EXPECT_THAT(calibration_error("[ops.relu]\ncolumns = []\nrows = ''''''\n").what(),
              HasSubstr("'ops.relu.columns' names no column"));
}

TEST(CalibrationReader, AModelIsComplete) {
  const std::string table = table_of("1 2 3e-5 -\n");
  EXPECT_THAT(calibration_error(table + "curve = [1]\n").what(),
              HasSubstr("lacks the key 'lengths'"));
  EXPECT_EQ(
      calibration_error(table + "curve = [1]\nlengths = [1]\nnoise = 0\namplitude = 0\nerror = 0\n")
          .full_message(),
      "toy.toml:9:11: 'ops.relu.forward.fp32.lengths' has 1 values for 2 columns");
  EXPECT_THAT(calibration_error(
                  table + "curve = [1]\nlengths = [1, 0]\nnoise = 0\namplitude = 0\nerror = 0\n")
                  .what(),
              HasSubstr("lengths[1]' must be above zero"));
  EXPECT_THAT(
      calibration_error(table + "curve = [1]\nlengths = []\nnoise = -1\namplitude = 0\nerror = 0\n")
          .what(),
      HasSubstr("noise' must not be below zero"));
  EXPECT_THAT(read_figures(table).ops.at("relu.forward.fp32").curve, IsEmpty());
}

TEST(CalibrationReader, TimesOfHostsAndAdditionsAreInTheirRange) {
  const auto host = [](std::string_view loss, std::string_view inference) {
    return format(
        "[host.pytorch]\nissuer = \"pytorch\"\nversion = \"2\"\ncpu = \"C\"\nloss_s = {}\n"
        "step_s = 0\n[host.pytorch.ops]\nview = {{ inference_s = {} }}\n",
        loss, inference);
  };
  EXPECT_EQ(calibration_error(host("-1", "1")).full_message(),
            "toy.toml:7:10: 'host.pytorch.loss_s' must not be below zero");
  EXPECT_EQ(calibration_error(host("0", "0")).full_message(),
            "toy.toml:10:24: 'host.pytorch.ops.view.inference_s' must be above zero");
  EXPECT_THAT(
      calibration_error("vector_additions = [{ launch = \"cpu\", memory = \"host\", elements = 0, "
                        "kernel_s = 1, total_s = 1, correct = true }]\n")
          .what(),
      HasSubstr("elements' must be 1 or more"));
}

TEST(CalibrationReader, AnOriginIsDescribedBeforeItIsNamed) {
  const auto error = [](std::string_view published) {
    return calibration_error(
               format("[ops.relu]\ncolumns = [\"elements\"]\nrows = '''\n'''\n{}", published))
        .full_message();
  };
  constexpr std::string_view rest =
      "too_short = 0, outliers = 0, launch_s = 0, error_of_all = 0, error_of_kept = 0 }\n";
  EXPECT_EQ(error(format("published = {{ origin = \"toy\", rows = 3, {}", rest)),
            "toy.toml:7:24: unknown origin 'toy'");
  EXPECT_EQ(error(format("published = {{ origin = \"toy\", rows = -1, {}", rest)),
            "toy.toml:7:38: 'ops.relu.published.rows' must not be below zero");
  EXPECT_EQ(error("published = { origin = \"toy\", row = 3 }\n"),
            "toy.toml:7:31: unknown key 'row' in 'ops.relu.published'");
}

TEST(CalibrationReader, ReadsLinks) {
  const Calibration c = read_figures(R"([[links]]
collective = "all_reduce"
ranks = 4
bytes = 4096
time_s = 1.5e-05
)");
  ASSERT_EQ(c.links.size(), 1U);
  EXPECT_EQ(c.links[0].collective, "all_reduce");
  EXPECT_EQ(c.links[0].ranks, 4);
  EXPECT_EQ(c.links[0].bytes, 4096.0);
  EXPECT_EQ(c.links[0].time_s, 1.5e-05);
}

TEST(CalibrationReader, WrongLinksAreErrorsAtTheirPlace) {
  const auto error = [](std::string_view ranks, std::string_view bytes, std::string_view rest) {
    return calibration_error(
        format("[[links]]\ncollective = \"copy\"\nranks = {}\nbytes = {}\ntime_s = 1\n{}", ranks,
               bytes, rest));
  };
  EXPECT_EQ(error("1", "8", "").full_message(), "toy.toml:5:9: 'links[0].ranks' must be 2 or more");
  EXPECT_EQ(error("2", "0", "").full_message(),
            "toy.toml:6:9: 'links[0].bytes' must be above zero");
  EXPECT_EQ(error("2", "8", "times = 2\n").full_message(),
            "toy.toml:8:1: unknown key 'times' in 'links[0]'");
}

}  // namespace
}  // namespace rooflab::device
