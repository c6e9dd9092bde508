#include "rooflab/analyze/imported_case.hpp"

#include <gtest/gtest.h>

namespace rooflab::analyze {
namespace {

using enum record::KernelFigure;

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

}  // namespace
}  // namespace rooflab::analyze
