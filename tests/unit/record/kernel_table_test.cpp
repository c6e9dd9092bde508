#include "rooflab/record/kernel_table.hpp"

#include <gtest/gtest.h>

namespace rooflab::record {
namespace {

KernelTable two_kernels() {
  KernelTable table;
  const NameTable::Id process = table.processes.intern("python3 (7)");
  for (const char* name : {"gemm", "relu"}) {
    table.add({.name = table.names.intern(name),
               .process = process,
               .launch = static_cast<std::int64_t>(table.size()),
               .device = 1,
               .stream = 7,
               .grid = {4, 2, 1},
               .block = {128, 1, 1}});
  }
  return table;
}

TEST(NameTable, KeepsEachTextOnceAndSurvivesACopy) {
  NameTable names;
  EXPECT_EQ(names.intern("a"), 0U);
  EXPECT_EQ(names.intern("b"), 1U);
  EXPECT_EQ(names.intern("a"), 0U);
  NameTable copy = names;
  names = NameTable();
  EXPECT_EQ(copy.intern("b"), 1U);
  EXPECT_EQ(copy.intern("c"), 2U);
  EXPECT_EQ(copy[1], "b");
}

TEST(KernelTable, NotCollectedIsNotZero) {
  KernelTable table = two_kernels();
  EXPECT_FALSE(table.has(KernelFigure::ffma));
  EXPECT_EQ(table.sum(KernelFigure::ffma), std::nullopt);
  table.set(KernelFigure::ffma, 1, 0.0);
  EXPECT_TRUE(table.has(KernelFigure::ffma));
  EXPECT_EQ(table.at(KernelFigure::ffma, 0), std::nullopt);
  EXPECT_EQ(table.at(KernelFigure::ffma, 1), 0.0);
  EXPECT_EQ(table.count(KernelFigure::ffma), 1U);
  EXPECT_EQ(table.sum(KernelFigure::ffma), 0.0);
}

TEST(KernelTable, KeepsWhoLaunchedWhat) {
  const KernelTable table = two_kernels();
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table.name(1), "relu");
  const KernelLaunch launch = table.launch(1);
  EXPECT_EQ(table.processes[launch.process], "python3 (7)");
  EXPECT_EQ(launch.launch, 1);
  EXPECT_EQ(launch.device, 1);
  EXPECT_EQ(launch.stream, 7);
  EXPECT_EQ(launch.grid, (Extent{4, 2, 1}));
  EXPECT_EQ(launch.start_ns, std::nullopt);
}

TEST(KernelTable, AStartOfOneRowIsNotTheOthers) {
  KernelTable table = two_kernels();
  table.add({.name = 0, .start_ns = 0, .external_id = 9});
  EXPECT_EQ(table.launch(0).start_ns, std::nullopt);
  EXPECT_EQ(table.launch(2).start_ns, 0);
  EXPECT_EQ(table.launch(1).external_id, 0);
  EXPECT_EQ(table.launch(2).external_id, 9);
  table.add({.name = 0});
  EXPECT_EQ(table.launch(3).start_ns, std::nullopt);
}

TEST(KernelTable, AppendingKeepsNamesApart) {
  KernelTable table = two_kernels();
  KernelTable other;
  other.add({.name = other.names.intern("softmax"), .process = other.processes.intern("b")});
  other.add({.name = other.names.intern("gemm"), .process = other.processes.intern("b")});
  other.set(KernelFigure::time_s, 1, 2e-6);
  table.append(other);
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table.name(2), "softmax");
  EXPECT_EQ(table.name_id(3), table.name_id(0));
  EXPECT_EQ(table.processes[table.launch(2).process], "b");
  EXPECT_EQ(table.at(KernelFigure::time_s, 2), std::nullopt);
  EXPECT_EQ(table.at(KernelFigure::time_s, 3), 2e-6);
}

// 292 durations of ns sum to 1.744 ms to the last digit that a double prints.
TEST(KernelTable, SumsManySmallTimesExactly) {
  KernelTable table;
  for (int i = 0; i < 1000; ++i) {
    table.add({.name = table.names.intern("k")});
    table.set(KernelFigure::time_s, table.size() - 1, 1e-9 * (1744 + (i % 2 == 0 ? 1 : -1)));
  }
  EXPECT_EQ(table.sum(KernelFigure::time_s), 0.001744);
}

TEST(KernelFigure, HasTheKeyOfTheFiles) {
  EXPECT_EQ(name_of(KernelFigure::shared_memory_bytes), "shared_memory_bytes");
  EXPECT_EQ(name_of(KernelFigure::tensor_tf32), "tensor_tf32_flop");
}

}  // namespace
}  // namespace rooflab::record
