// Logs of real programs on an H200, made smaller by tests/data/import/ncu/reduce.py. The totals
// were computed from the whole logs by another program: sums of columns, 2 FLOP an FMA.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../base/note_matchers.hpp"
#include "import/import_notes.hpp"
#include "import/ncu_command.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Record;
using testing::Contains;
using testing::IsEmpty;

std::filesystem::path sample_log(const std::string& name) {
  return std::filesystem::path(ROOFLAB_SOURCE_DIR) / "tests/data/import/ncu" / (name + ".csv");
}

struct Totals {
  double time_ns = 0.0;
  double dram_bytes = 0.0;
  double fp32 = 0.0;
  double tensor = 0.0;
};

Totals totals_of(const Record& record) {
  Totals totals;
  const record::KernelTable& kernels = *record.kernels;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const record::LaunchFigures launch = record::figures_of(kernels, row);
    totals.time_ns += launch[KernelFigure::time_s].value() * 1e9;
    totals.dram_bytes += launch[KernelFigure::dram_bytes].value();
    totals.fp32 += launch[KernelFigure::fp32_flops].value();
    totals.tensor += launch[KernelFigure::tensor_flops].value_or(0.0);
  }
  return totals;
}

TEST(NcuSamples, ResNet18TrainingStepWithTf32) {
  const Record record = read_ncu_log(sample_log("resnet18-b1-train-tf32"));
  EXPECT_EQ(record.kernels->size(), 292U);
  const Totals totals = totals_of(record);
  EXPECT_NEAR(totals.time_ns, 1'744'000.0, 1e-3);
  EXPECT_EQ(totals.dram_bytes, 345'560'832.0);
  EXPECT_EQ(totals.fp32, 4'466'655'395.0);
  EXPECT_EQ(totals.tensor, 6'472'859'648.0);
  EXPECT_EQ(record.kernels->sum(KernelFigure::tensor_tf32), 6'472'859'648.0);
  EXPECT_EQ(record.kernels->processes[0], "python3.12 (2191 on 127.0.0.1)");
  EXPECT_EQ(record.identity.model, "resnet18-b1-train-tf32");
  EXPECT_EQ(record.environment.device.name, "NVIDIA H200");
  EXPECT_EQ(record.environment.device.multiprocessors, 132);
  EXPECT_EQ(record.environment.device.memory, Bytes(150'109'880'320));
  EXPECT_THAT(record.lost, IsEmpty());
  // 27,853,770 half-precision FMAs in 145 kernels without any addition or multiplication.
  EXPECT_THAT(record.warnings, Contains(Note{says.moves_ignored, {111'415'080, 145}}));
}

TEST(NcuSamples, AlexNetTrainingStep) {
  const Record record = read_ncu_log(sample_log("alexnet-b1-train-fp32"));
  EXPECT_EQ(record.kernels->size(), 79U);
  const Totals totals = totals_of(record);
  EXPECT_NEAR(totals.time_ns, 1'025'408.0, 1e-3);
  EXPECT_EQ(totals.dram_bytes, 725'389'824.0);
  EXPECT_EQ(totals.fp32, 5'648'711'651.0);
  EXPECT_EQ(totals.tensor, 0.0);
  // Collected and zero, although the tensor pipe ran instructions.
  EXPECT_EQ(record.kernels->sum(KernelFigure::tensor_tf32), 0.0);
  EXPECT_GT(record.kernels->sum(KernelFigure::tensor_pipe_instructions), 0.0);
}

/// The log with every column whose name begins like this cut away; fields hold no quotes.
std::string without_columns(const std::string& text, std::string_view name) {
  std::string cut;
  std::vector<bool> keep;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with('"')) {
      cut += line + "\n";
      continue;
    }
    std::vector<std::string> kept;
    std::size_t column = 0;
    for (std::size_t at = 0; at < line.size(); ++column) {
      const std::size_t close = line.find('"', at + 1);
      const std::string field = line.substr(at, close - at + 1);
      if (line.starts_with("\"ID\"")) keep.push_back(!field.substr(1).starts_with(name));
      if (keep[column]) kept.push_back(field);
      at = close + 2;
    }
    cut += join(kept, ",") + "\n";
  }
  return cut;
}

TEST(NcuSamples, WithoutTensorColumnsTheWorkIsMarkedAsNotCollected) {
  const Record record = read_ncu_log_text(
      without_columns(read_file(sample_log("resnet18-b1-train-tf32")), "sm__ops_path_tensor_"),
      "cut.csv");
  EXPECT_EQ(record.kernels->size(), 292U);
  EXPECT_EQ(totals_of(record).fp32, 4'466'655'395.0);
  for (std::size_t row = 0; row < record.kernels->size(); ++row) {
    EXPECT_FALSE(record::figures_of(*record.kernels, row)[KernelFigure::tensor_flops]);
  }
  EXPECT_THAT(record.warnings, Contains(HasValue(says.tensor_work_missing, ncu_command({9, 0}))));
}

TEST(NcuSamples, DetailsPage) {
  const Record record = read_ncu_log(sample_log("alexnet-b1-fwd-details"));
  ASSERT_EQ(record.kernels->size(), 8U);
  // 20,320 + 3,488 + 2,560 + 5,376 + 53,568 + 3,488 + 2,976 + 5,120 ns
  EXPECT_NEAR(*record.kernels->sum(KernelFigure::time_s), 96'896e-9, 1e-15);
  EXPECT_DOUBLE_EQ(*record.kernels->at(KernelFigure::occupancy, 1), 0.3072);
  EXPECT_EQ(record.kernels->at(KernelFigure::registers_per_thread, 4), 92.0);
  EXPECT_EQ(record.kernels->at(KernelFigure::shared_memory_bytes, 0), 7040.0);
  EXPECT_NEAR(*record.kernels->at(KernelFigure::sm_clock_hz, 0), 1'960'205'462.6, 0.01);
  EXPECT_EQ(record.kernels->launch(0).grid, (record::Extent{2, 95, 1}));
  EXPECT_EQ(record.environment.device.multiprocessors, 132);
  EXPECT_FALSE(record.kernels->has(KernelFigure::ffma));
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(NcuSamples, CutAnywhereItIsAnErrorOrARecord) {
  for (const char* name : {"resnet18-b1-train-tf32", "alexnet-b1-fwd-details"}) {
    const std::string text = read_file(sample_log(name)).substr(0, 20'000);
    std::size_t launches = 0;
    for (std::size_t size = 0; size < text.size(); size += 7) {
      try {
        const Record record = read_ncu_log_text(std::string_view(text).substr(0, size), "cut.csv");
        // A row is kept when it is cut behind a field, and torn when it is cut within.
        EXPECT_GE(record.kernels->size() + 1, launches) << size;
        EXPECT_LE(record.kernels->size(), launches + 1) << size;
        launches = std::max(launches, record.kernels->size());
      } catch (const Error& error) {
        EXPECT_LE(launches, 1U) << size;
      }
    }
    EXPECT_GT(launches, 0U);
  }
}

}  // namespace
}  // namespace rooflab::import
