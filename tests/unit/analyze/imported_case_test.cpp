#include "rooflab/analyze/imported_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/analyze_notes.hpp"

namespace rooflab::analyze {
namespace {

using enum record::KernelFigure;
constexpr record::KernelFigure time_s_ = record::KernelFigure::time_s;

/// A step of one kernel, profiled: 8 fp32 instructions of each kind, 2 * 8 + 8 + 8 FLOP.
record::Record profiled_step() {
  record::Record record;
  record.environment.device.name = "NVIDIA H200";
  record.environment.device.compute_capability = "9.0";
  record::KernelTable& kernels = record.kernels.emplace();
  kernels.add({.name = kernels.names.intern("relu")});
  for (const record::KernelFigure figure : {ffma, fadd, fmul}) kernels.set(figure, 0, 8.0);
  record::KernelTable& step = record.counting.emplace().step.emplace();
  step.add({.name = step.names.intern("(step)")});
  step.set(tensor_bf16, 0, 0.0);
  step.set(tensor_tf32, 0, 0.0);
  return record;
}

ImportedCase imported(record::Record record) {
  return imported_case_of(std::move(record), "run.json", device::Catalog::built_in());
}

TEST(ImportedCase, TensorTypesWithoutWorkInTheStepAreZeroInItsKernels) {
  const ImportedCase result = imported(profiled_step());
  EXPECT_EQ(result.totals.at(tensor_flops), 0.0);
  EXPECT_EQ(result.totals.at(flops), 32.0);
  EXPECT_EQ(result.record.kernels->at(tensor_bf16, 0), 0.0);
}

/// The zeros of bf16 would pass for all tensor work of kernels that were not asked for tf32.
TEST(ImportedCase, NothingIsZeroWhereATypeWithWorkWasNotCountedByKernel) {
  record::Record record = profiled_step();
  record.counting->step->set(tensor_tf32, 0, 4096.0);
  const ImportedCase result = imported(record);
  EXPECT_EQ(result.totals.at(tensor_flops), std::nullopt);
  EXPECT_EQ(result.totals.at(flops), std::nullopt);
  EXPECT_EQ(result.record.kernels->at(tensor_bf16, 0), std::nullopt);
}

TEST(ImportedCase, WithoutCountersOfAStepNothingIsAdded) {
  record::Record record = profiled_step();
  record.counting.reset();
  EXPECT_EQ(imported(record).totals.at(flops), std::nullopt);
}

// The H200 of the catalog: 66.9 TFLOP/s in fp32, 4.8 TB/s.
TEST(ImportedCase, WhatIsAboveARoofIsDoubted) {
  const auto warned = [](double time_s, double bytes, double instructions) {
    record::Record record = profiled_step();
    record.kernels->set(time_s_, 0, time_s);
    record.kernels->set(dram_bytes, 0, bytes);
    record.kernels->set(ffma, 0, instructions);
    const ImportedCase result = imported(record);
    return std::ranges::find(result.record.warnings, NoteCode(says.above_roof), &Note::code) !=
           result.record.warnings.end();
  };
  EXPECT_FALSE(warned(1.0, 4.8e12, 0.0));
  EXPECT_FALSE(warned(1.0, 1.04 * 4.8e12, 0.0));
  EXPECT_TRUE(warned(1.0, 1.06 * 4.8e12, 0.0));
  EXPECT_FALSE(warned(1.0, 1.0, 1.04 * 66.9e12 / 2.0));
  EXPECT_TRUE(warned(1.0, 1.0, 1.06 * 66.9e12 / 2.0));
}

}  // namespace
}  // namespace rooflab::analyze
