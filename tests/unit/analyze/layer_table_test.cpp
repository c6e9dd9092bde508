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
  // The bias gradient adds up 64 x 55 x 55 values in addition to the matrix work.
  EXPECT_GE(row_named(rows, "features.0").weight_gradient_flops, Flops(first));
  EXPECT_LE(row_named(rows, "features.0").weight_gradient_flops, Flops(first + 64 * 55 * 55));
  const std::int64_t second = 2LL * 192 * 27 * 27 * 64 * 5 * 5;
  EXPECT_EQ(row_named(rows, "features.3").data_gradient_flops, Flops(second));
  EXPECT_EQ(row_named(rows, "features.3").matrix_flops, Flops(3 * second));
}

// AlexNet's second convolution: 64 x 27 x 27 to 192 x 27 x 27 by 5 x 5, weight 192 x 64 x 25, bias.
// Its last layer: 4096 to 1000, the bias within the product. Elements of input, weight, output:
TEST(LayerTable, ForwardAndBackwardOfTwoLayersByHand) {
  const schedule::Schedule schedule = scheduled("alexnet", 1, Phase::training);
  const std::vector<LayerRow> rows = layer_table(schedule, costs_of(schedule));
  {
    constexpr std::int64_t x = 64LL * 27 * 27;
    constexpr std::int64_t w = 192LL * 64 * 25;
    constexpr std::int64_t y = 192LL * 27 * 27;
    constexpr std::int64_t product = 2 * y * 64 * 25;
    const LayerRow& conv = row_named(rows, "features.3");
    EXPECT_EQ(conv.forward->matrix_flops, Flops(product));
    EXPECT_EQ(conv.forward->flops, Flops(product + y));  // the bias is added in a separate pass
    EXPECT_EQ(conv.forward->bytes, Bytes(4 * (x + w + y + y + 192 + y)));
    EXPECT_EQ(conv.backward->matrix_flops, Flops(2 * product));
    EXPECT_EQ(conv.backward->flops, Flops(2 * product + y));
    // Gradients of data (y, w to x), of the weight (y, x to w) and of the bias (y to 192).
    EXPECT_EQ(conv.backward->bytes, Bytes(4 * ((y + w + x) + (y + x + w) + (y + 192))));
  }
  {
    constexpr std::int64_t w = 4096LL * 1000;
    const LayerRow& linear = row_named(rows, "classifier.6");
    EXPECT_EQ(linear.forward->matrix_flops, Flops(2 * w));
    EXPECT_EQ(linear.forward->flops, Flops(2 * w + 1000));
    EXPECT_EQ(linear.forward->bytes, Bytes(4 * (4096 + w + 1000 + 1000)));
    EXPECT_EQ(linear.backward->matrix_flops, Flops(2 * 2 * w));
    EXPECT_EQ(linear.backward->flops, Flops(2 * 2 * w + 1000));
    EXPECT_EQ(linear.backward->bytes,
              Bytes(4 * ((1000 + w + 4096) + (1000 + 4096 + w) + (1000 + 1000))));
  }
  for (const char* const other : {"(loss)", "(optimizer)"}) {
    EXPECT_EQ(row_named(rows, other).forward->bytes, Bytes(0)) << other;
    EXPECT_EQ(row_named(rows, other).backward->bytes, Bytes(0)) << other;
    EXPECT_EQ(row_named(rows, other).forward->flops, Flops(0)) << other;
    EXPECT_EQ(row_named(rows, other).backward->flops, Flops(0)) << other;
  }
}

// A report by pen and paper: 1,428,386,152 FLOP forward, of which 9,192 are the biases of the
// linear layers. Backward is twice the products less the data gradient of the first layer.
TEST(LayerTable, ForwardAndBackwardOfAlexNetArePublished) {
  const predict::NetworkLimit work = costs_of(scheduled("alexnet", 1, Phase::training));
  constexpr std::int64_t forward = 1428386152 - 9192;
  EXPECT_EQ(work.forward->matrix_flops, Flops(forward));
  EXPECT_EQ(work.backward->matrix_flops, Flops(2 * forward - 2LL * 64 * 55 * 55 * 3 * 11 * 11));
  const predict::NetworkLimit inference = costs_of(scheduled("alexnet"));
  EXPECT_EQ(inference.forward->matrix_flops, Flops(forward));
  EXPECT_EQ(inference.forward->bytes, inference.compulsory_bytes);
  EXPECT_EQ(inference.backward->flops, Flops(0));
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
