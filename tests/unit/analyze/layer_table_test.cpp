#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "networks.hpp"
#include "rooflab/analyze/network_count.hpp"

namespace rooflab::analyze {
namespace {

predict::NetworkLimit costs_of(const schedule::Schedule& schedule) {
  return predict::limit_of(schedule, device::Device{});
}

LayerRow sum_of(const std::vector<LayerRow>& rows) {
  LayerRow sum;
  for (const LayerRow& row : rows) {
    sum.parameters += row.parameters;
    sum.macs += row.macs;
    sum.matrix_flops += row.matrix_flops;
    sum.vector_flops += row.vector_flops;
    sum.data_gradient_flops += row.data_gradient_flops;
    sum.weight_gradient_flops += row.weight_gradient_flops;
    sum.compulsory_bytes += row.compulsory_bytes;
  }
  return sum;
}

void expect_rows_add_up(const schedule::Schedule& schedule, std::optional<int> depth) {
  const predict::NetworkLimit totals = costs_of(schedule);
  const LayerRow sum = sum_of(layer_table(schedule, totals, depth));
  EXPECT_EQ(sum.parameters, schedule.graph.parameter_elements());
  EXPECT_EQ(sum.macs, totals.macs);
  EXPECT_EQ(sum.matrix_flops, totals.matrix_flops);
  EXPECT_EQ(sum.vector_flops, totals.vector_flops);
  EXPECT_EQ(sum.compulsory_bytes, totals.compulsory_bytes);
}

const LayerRow& row_named(const std::vector<LayerRow>& rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &LayerRow::name);
  if (row == rows.end()) throw std::runtime_error("no row " + std::string(name));
  return *row;
}

TEST(LayerTable, RowsOfEveryNetworkAddUpToItsTotals) {
  for (const zoo::ModelInfo& model : zoo::models()) {
    SCOPED_TRACE(model.name);
    expect_rows_add_up(scheduled(model.name), std::nullopt);
  }
}

TEST(LayerTable, RowsAddUpInEveryPhaseAndDepth) {
  for (const char* model : {"alexnet", "resnet18", "googlenet", "mobilenet_v2", "vit_b_16"}) {
    for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
      const schedule::Schedule schedule = scheduled(model, 2, phase, Precision::amp);
      for (const std::optional<int> depth :
           {std::optional<int>(), std::optional(1), std::optional(2)}) {
        SCOPED_TRACE(std::string(model) + ", " + std::string(name_of(phase)) + ", depth " +
                     std::to_string(depth.value_or(0)));
        expect_rows_add_up(schedule, depth);
      }
    }
  }
}

// The first convolution: 64 kernels of 3 x 7 x 7 over 112 x 112 places, no bias.
TEST(LayerTable, FiguresOfOneLayerByHand) {
  const schedule::Schedule schedule = scheduled("resnet18", 2);
  const std::vector<LayerRow> rows = layer_table(schedule, costs_of(schedule));
  const LayerRow& conv = row_named(rows, "conv1");
  EXPECT_EQ(conv.op, "conv2d");
  EXPECT_EQ(conv.output_shape, graph::Shape({2, 64, 112, 112}));
  EXPECT_EQ(conv.parameters, 64 * 3 * 7 * 7);
  EXPECT_EQ(conv.macs, Macs(2LL * 64 * 112 * 112 * 3 * 7 * 7));
  EXPECT_EQ(conv.matrix_flops, Flops(2 * 2LL * 64 * 112 * 112 * 3 * 7 * 7));
  EXPECT_EQ(conv.vector_flops, Flops(0));
  EXPECT_EQ(conv.compulsory_bytes,
            Bytes(4 * (2LL * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 2LL * 64 * 112 * 112)));
  EXPECT_FALSE(conv.time);
  EXPECT_TRUE(conv.counted);
}

TEST(LayerTable, TheFirstLayerHasNoDataGradient) {
  const schedule::Schedule schedule = scheduled("alexnet", 1, Phase::training);
  const std::vector<LayerRow> rows = layer_table(schedule, costs_of(schedule));
  const std::int64_t first = 2LL * 64 * 55 * 55 * 3 * 11 * 11;
  EXPECT_EQ(row_named(rows, "features.0").data_gradient_flops, Flops(0));
  // The bias gradient adds up 64 x 55 x 55 values beside the matrix work.
  EXPECT_GE(row_named(rows, "features.0").weight_gradient_flops, Flops(first));
  EXPECT_LE(row_named(rows, "features.0").weight_gradient_flops, Flops(first + 64 * 55 * 55));
  const std::int64_t second = 2LL * 192 * 27 * 27 * 64 * 5 * 5;
  EXPECT_EQ(row_named(rows, "features.3").data_gradient_flops, Flops(second));
  EXPECT_EQ(row_named(rows, "features.3").matrix_flops, Flops(3 * second));
}

TEST(LayerTable, DepthFoldsScopesInTheirOrder) {
  const schedule::Schedule schedule = scheduled("resnet18");
  std::vector<std::string> names;
  for (const LayerRow& row : layer_table(schedule, costs_of(schedule), 1))
    names.push_back(row.name);
  EXPECT_THAT(names, testing::ElementsAre("conv1", "bn1", "relu", "maxpool", "layer1", "layer2",
                                          "layer3", "layer4", "avgpool", "flatten", "fc"));
  const std::vector<LayerRow> rows = layer_table(schedule, costs_of(schedule), 1);
  EXPECT_EQ(row_named(rows, "layer1").op, "module");
  EXPECT_EQ(row_named(rows, "layer1").parameters, 4 * (64 * 64 * 3 * 3 + 2 * 64));
  EXPECT_EQ(row_named(rows, "layer4").output_shape, graph::Shape({1, 512, 7, 7}));
  EXPECT_EQ(row_named(rows, "conv1").op, "conv2d");
}

TEST(LayerTable, LossAndOptimizerStandAtTheEnd) {
  const schedule::Schedule schedule = scheduled("alexnet", 1, Phase::training);
  const std::vector<LayerRow> rows = layer_table(schedule, costs_of(schedule));
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows[rows.size() - 2].name, "(loss)");
  EXPECT_EQ(rows.back().name, "(optimizer)");
  EXPECT_FALSE(rows.back().output_shape);
  EXPECT_EQ(rows.back().macs, Macs(0));
}

TEST(LayerTable, AutocastsCastsBelongToTheirUsers) {
  const schedule::Schedule plain = scheduled("resnet18");
  const schedule::Schedule cast = scheduled("resnet18", 1, Phase::inference, Precision::amp);
  EXPECT_EQ(layer_table(plain, costs_of(plain)).size(), layer_table(cast, costs_of(cast)).size());
}

TEST(LayerTable, AnUnknownOpIsNotCountedAndHasNoTime) {
  const schedule::Schedule schedule = schedule::lower(with_unknown_ops(), {});
  const predict::NetworkLimit limit =
      predict::limit_of(schedule, device::Catalog::built_in().find("t4"));
  const std::vector<LayerRow> rows = layer_table(schedule, limit);
  EXPECT_TRUE(row_named(rows, "conv").counted);
  EXPECT_TRUE(row_named(rows, "conv").time);
  EXPECT_FALSE(row_named(rows, "fold").counted);
  EXPECT_FALSE(row_named(rows, "fold").time);
  EXPECT_EQ(row_named(rows, "fold").op, "Fold");
}

TEST(LayerTable, TimesAddUpToTheLimit) {
  for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
    const CaseResult result = case_of("resnet18", "a100-sxm4-40gb", 8, phase);
    double sum = 0.0;
    for (const LayerRow& row : result.layers) {
      ASSERT_TRUE(row.time) << row.name;
      sum += row.time->value;
    }
    EXPECT_NEAR(sum / result.limit.time->value, 1.0, 1e-12);
  }
}

// A bias is added in fp32 on the vector units, which the T4 has; its products in bf16 have no roof.
TEST(LayerTable, ALayerOfWhichAPartHasNoLimitHasNone) {
  const CaseResult result = case_of("alexnet", "t4", 1, Phase::training, Precision::bf16);
  EXPECT_FALSE(row_named(result.layers, "features.0").time);
  EXPECT_EQ(row_named(result.layers, "features.0").bound, predict::Bound::none);
  EXPECT_TRUE(row_named(result.layers, "features.1").time);
}

}  // namespace
}  // namespace rooflab::analyze
