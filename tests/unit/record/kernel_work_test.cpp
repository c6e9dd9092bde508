#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::record {
namespace {

using enum KernelFigure;

KernelTable kernel(std::initializer_list<std::pair<KernelFigure, double>> figures) {
  KernelTable table;
  table.add({.name = table.names.intern("k")});
  for (const auto& [figure, value] : figures) table.set(figure, 0, value);
  return table;
}

TEST(KernelWork, AnFmaIsTwoOperationsAndAHalfInstructionTwoLanes) {
  const KernelTable table = kernel({{dadd, 1},
                                    {dmul, 2},
                                    {dfma, 3},
                                    {fadd, 10},
                                    {fmul, 20},
                                    {ffma, 30},
                                    {hadd, 100},
                                    {hmul, 200},
                                    {hfma, 300}});
  const LaunchFigures work = figures_of(table, 0);
  EXPECT_EQ(work[fp64_flops], 9.0);     // 1 + 2 + 2 * 3
  EXPECT_EQ(work[fp32_flops], 90.0);    // 10 + 20 + 2 * 30
  EXPECT_EQ(work[fp16_flops], 1800.0);  // 2 * (100 + 200 + 2 * 300)
  EXPECT_EQ(work[tensor_flops], std::nullopt);
  EXPECT_EQ(work[fp16_move_flops], 0.0);
  EXPECT_EQ(work[collected_flops], 1899.0);
  EXPECT_EQ(figures_of(table, 0, false)[flops], 1899.0);  // a chip without tensor cores
  EXPECT_EQ(work[flops], std::nullopt);
}

TEST(KernelWork, APartThatIsMissingMakesThePathUnknown) {
  const LaunchFigures work = figures_of(kernel({{fadd, 10}, {ffma, 30}, {tensor_tf32, 0}}), 0);
  EXPECT_EQ(work[fp32_flops], std::nullopt);
  EXPECT_EQ(work[fp64_flops], std::nullopt);
  EXPECT_EQ(work[tensor_flops], 0.0);
  EXPECT_EQ(work[collected_flops], 70.0);  // 10 + 2 * 30: a lower bound
  EXPECT_EQ(work[flops], std::nullopt);
  EXPECT_EQ(figures_of(kernel({}), 0)[collected_flops], std::nullopt);
}

TEST(KernelWork, PackedInstructionsOfBlackwellCountTwice) {
  const LaunchFigures work =
      figures_of(kernel({{fadd, 1}, {fmul, 1}, {ffma, 1}, {fadd2, 5}, {fmul2, 6}, {ffma2, 7}}), 0);
  EXPECT_EQ(work[fp32_flops], 4.0 + 10.0 + 12.0 + 28.0);
}

TEST(KernelWork, TensorOperationsAddUpOverInputTypes) {
  const LaunchFigures work = figures_of(
      kernel({{tensor_tf32, 8}, {tensor_bf16, 4}, {tensor_fp16, 2}, {tensor_int8, 99}}), 0);
  EXPECT_EQ(work[tensor_flops], 14.0);  // integer operations are not FLOPs
}

// ptxas writes constants with HFMA2: an fp32 kernel then shows hfma and neither hadd nor hmul.
TEST(KernelWork, HalfMovesAreReportedAndNotAdded) {
  const LaunchFigures moves =
      figures_of(kernel({{fadd, 0}, {fmul, 0}, {ffma, 50}, {hadd, 0}, {hmul, 0}, {hfma, 10}}), 0);
  EXPECT_EQ(moves[fp16_move_flops], 40.0);
  EXPECT_EQ(moves[fp16_flops], 0.0);
  EXPECT_EQ(moves[collected_flops], 100.0);
  EXPECT_EQ(figures_of(kernel({{hadd, 0}, {hmul, 0}, {hfma, 0}}), 0)[fp16_move_flops], 0.0);
  EXPECT_EQ(figures_of(kernel({{hadd, 0}, {hmul, 1}, {hfma, 10}}), 0)[fp16_move_flops], 0.0);
  EXPECT_EQ(figures_of(kernel({{hadd, 0}, {hmul, 0}}), 0)[fp16_move_flops], std::nullopt);
}

TEST(KernelWork, TensorPipeInstructionsAreNoWork) {
  EXPECT_EQ(figures_of(kernel({{tensor_pipe_instructions, 1e6}}), 0)[collected_flops],
            std::nullopt);
}

TEST(DramBytes, AreReadAndWrittenOrTheirSum) {
  EXPECT_EQ(figures_of(kernel({{dram_read_bytes, 3}, {dram_write_bytes, 4}}), 0)[dram_bytes], 7.0);
  EXPECT_EQ(figures_of(kernel({{dram_bytes, 9}}), 0)[dram_bytes], 9.0);
  EXPECT_EQ(figures_of(kernel({{dram_read_bytes, 3}}), 0)[dram_bytes], std::nullopt);
}

}  // namespace
}  // namespace rooflab::record
