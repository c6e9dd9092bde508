// The list of single ops, item by item: read, lowered and named as the calibration will name it.

#include "probe/op_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::probe {
namespace {

using engine::ProbeItem;
using engine::ProbeKind;
using predict::OpShape;

/// A device with every unit that an item may ask for.
device::Device device_with_all_units() {
  device::Device device;
  device.id = "toy";
  for (const ArithmeticPath path :
       {ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor, ArithmeticPath::bf16_tensor_fp32,
        ArithmeticPath::fp16_tensor_fp32}) {
    device.peaks[path] = {.value = 1e12};
  }
  return device;
}

schedule::Schedule lowered(const ProbeItem& item, Phase phase) {
  const schedule::LoweringOptions options{
      .phase = phase,
      .precision = item.precision,
      .optimizer = from_name<schedule::Optimizer>(item.optimizer)
                       .value_or(schedule::Optimizer::sgd_momentum),
      .channels_last = item.channels_last};
  return schedule::lower(graph::parse_text(item.graph, "item"), options);
}

/// What the last node of the item's graph is, in its forward pass; a call names it.
std::vector<OpShape> own_shapes(const ProbeItem& item) {
  if (item.kind == ProbeKind::call) {
    const engine::ProbeCall call = engine::call_of(item);
    OpShape shape = predict::shape_of_kind(call.kind);
    shape.sizes = call.sizes;
    return {shape};
  }
  const schedule::Schedule schedule = lowered(item, item.gradients ? Phase::forward : Phase{});
  const auto modules = graph::find_attention_modules(schedule.graph);
  if (!modules.empty()) {  // many nodes that are one call in evaluation
    EXPECT_EQ(modules.size(), 1U);
    return {predict::shape_of(schedule.graph, modules.front(), item.precision,
                              device_with_all_units())};
  }
  const auto last = static_cast<graph::NodeId>(schedule.graph.nodes.size() - 1);
  const bool copies = std::holds_alternative<graph::Contiguous>(schedule.graph.nodes.back().op);
  std::vector<OpShape> shapes;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    const bool own = std::holds_alternative<schedule::NodeWork>(op.work) ||
                     (copies && std::holds_alternative<schedule::CopyWork>(op.work));
    if (op.node != last || !own) continue;
    if (auto shape = predict::shape_of(schedule, op, device_with_all_units())) {
      shapes.push_back(*std::move(shape));
    }
  }
  return shapes;
}

/// The kind that an item is first of all for: of an optimizer its step's.
std::string kind_of(const ProbeItem& item) {
  if (item.kind == ProbeKind::optimizer) return "optimizer " + item.optimizer;
  const std::vector<OpShape> shapes = own_shapes(item);
  return shapes.empty() ? "none" : shapes.front().kind();
}

const std::vector<ProbeItem>& whole() {
  static const std::vector<ProbeItem> items = op_grid({});
  return items;
}
const std::vector<ProbeItem>& quick() {
  static const std::vector<ProbeItem> items = op_grid({.quick = true});
  return items;
}

bool same(const ProbeItem& a, const ProbeItem& b) {
  return a.kind == b.kind && a.graph == b.graph && a.precision == b.precision &&
         a.channels_last == b.channels_last && a.gradients == b.gradients &&
         a.optimizer == b.optimizer;
}

TEST(OpGrid, IsAlwaysTheSameList) {
  EXPECT_TRUE(std::ranges::equal(quick(), op_grid({.quick = true}), same));
  EXPECT_TRUE(std::ranges::equal(whole(), op_grid({}), same));
}

TEST(OpGrid, QuickIsAboutATenth) {
  EXPECT_GT(whole().size(), 2000U);
  EXPECT_LT(quick().size(), whole().size() / 4);
  EXPECT_GT(quick().size(), whole().size() / 20);
}

TEST(OpGrid, EveryItemIsOneOpOrAnOptimizersStep) {
  std::set<std::string> ops;
  std::size_t nothing_to_copy = 0;
  for (const std::vector<ProbeItem>* items : {&whole(), &quick()}) {
    for (const ProbeItem& item : *items) {
      if (item.kind == ProbeKind::optimizer) {
        EXPECT_TRUE(item.gradients);
        EXPECT_TRUE(from_name<schedule::Optimizer>(item.optimizer)) << item.optimizer;
        continue;
      }
      ASSERT_TRUE(item.kind == ProbeKind::op || item.kind == ProbeKind::call);
      const std::vector<OpShape> shapes = own_shapes(item);
      if (shapes.empty() && item.graph.find("= contiguous") != std::string::npos) {
        ++nothing_to_copy;  // one head only: it lies as it should already
        continue;
      }
      ASSERT_EQ(shapes.size(), 1U) << item.graph;
      EXPECT_EQ(shapes[0].sizes.size(), predict::columns_of(shapes[0].op).size()) << item.graph;
      if (shapes[0].op.starts_with("conv") || shapes[0].op.ends_with("_pool")) {
        EXPECT_EQ(shapes[0].layout, item.channels_last ? "nhwc" : "nchw") << item.graph;
      }
      ops.insert(shapes[0].op);
    }
  }
  for (const char* op : {"conv2d",
                         "conv2d_grouped",
                         "conv2d_depthwise",
                         "conv_transpose2d",
                         "conv1d",
                         "conv3d",
                         "linear",
                         "matmul",
                         "attention",
                         "attention_causal",
                         "attention_masked",
                         "attention_decode",
                         "attention_decode_masked",
                         "attention_causal_grouped",
                         "grouped_matmul",
                         "copy",
                         "fill",
                         "sort",
                         "topk",
                         "cumsum",
                         "conv_transpose1d",
                         "conv_transpose3d",
                         "conv1d_grouped",
                         "lstm",
                         "gru",
                         "rnn",
                         "batch_norm",
                         "batch_norm_eval",
                         "layer_norm",
                         "group_norm",
                         "rms_norm",
                         "softmax",
                         "log_softmax",
                         "max_pool",
                         "average_pool",
                         "sum",
                         "relu",
                         "gelu",
                         "add",
                         "mul",
                         "add_broadcast",
                         "mul_broadcast",
                         "add_mixed",
                         "dropout",
                         "cast_bf16",
                         "cast_f32",
                         "cast_f16",
                         "copy_strided",
                         "copy_expanded",
                         "gather",
                         "gather_elements",
                         "scatter",
                         "resize",
                         "where",
                         "pow_broadcast",
                         "concat"}) {
    EXPECT_TRUE(ops.contains(op)) << op;
  }
}

/// Sizes of the first op of kinds that begin so.
std::vector<std::vector<double>> sizes_of(std::string_view kind) {
  std::vector<std::vector<double>> sizes;
  for (const ProbeItem& item : whole()) {
    if (item.kind == ProbeKind::optimizer || !kind_of(item).starts_with(kind)) continue;
    const std::vector<OpShape> shapes = own_shapes(item);
    if (!shapes.empty()) sizes.push_back(shapes[0].sizes);
  }
  return sizes;
}

// A library has other kernels for each step away from 16 bytes: no step may be missing.
TEST(OpGrid, EveryAlignmentOfEverySizeIsThere) {
  for (const char* kind : {"conv2d.forward.bf16.nchw", "conv2d.forward.bf16.nhwc",
                           "linear.forward.bf16", "matmul.forward.bf16"}) {
    const OpShape shape = predict::shape_of_kind(kind);
    for (const std::size_t column : predict::aligned_columns_of(shape)) {
      std::map<double, int> steps;
      for (const std::vector<double>& sizes : sizes_of(kind)) {
        ++steps[predict::misalignment(sizes[column], "bf16")];
      }
      const std::string_view name = predict::columns_of(shape.op)[column];
      for (const double step : {0.0, 1.0, 2.0, 3.0}) {
        if (name == "pixels" && step == 2.0) continue;  // images are squares
        EXPECT_GE(steps[step], 4) << kind << ", " << name << ", " << step;
      }
    }
  }
}

TEST(OpGrid, HoldsTheSizesThatVersion01Lacked) {
  std::set<double> sides;
  for (const std::vector<double>& sizes : sizes_of("conv2d.forward.bf16.nchw")) {
    sides.insert(std::sqrt(sizes[1]));
  }
  for (const double side : {10., 12., 18., 20., 22., 24., 36., 40., 44., 48., 72., 88., 96.}) {
    EXPECT_TRUE(sides.contains(side)) << side;
  }
  std::set<double> columns;
  for (const std::vector<double>& sizes : sizes_of("linear.forward.bf16")) columns.insert(sizes[2]);
  EXPECT_TRUE(columns.contains(50257.0));
  EXPECT_TRUE(columns.contains(50264.0));
  std::set<double> lengths;
  for (const std::vector<double>& sizes : sizes_of("attention_causal.forward.bf16")) {
    lengths.insert(sizes[1]);
  }
  EXPECT_TRUE(lengths.contains(4096.0));
  EXPECT_GT(sizes_of("conv2d.forward.fp16.nchw").size(), 300U);
}

TEST(OpGrid, RecurrentLayersOfEveryCellAndDepth) {
  for (const char* type : {"fp32", "tf32", "bf16", "fp16"}) {
    for (const char* op : {"lstm", "gru", "rnn"}) {
      const std::string kind = format("{}.forward.{}", op, type);
      const std::vector<std::vector<double>> sizes = sizes_of(kind);
      EXPECT_GE(sizes.size(), 5U) << kind;
      std::set<double> layers;
      std::set<double> directions;
      double most_steps = 0.0;
      for (const std::vector<double>& row : sizes) {
        most_steps = std::max(most_steps, row[1]);
        layers.insert(row[4]);
        directions.insert(row[5]);
      }
      EXPECT_GE(most_steps, 100.0) << kind;
      EXPECT_GE(layers.size(), 2U) << kind;
      EXPECT_EQ(directions.size(), 2U) << kind;
    }
  }
}

/// The least and the most of a size of the kinds that begin so.
std::pair<double, double> range_of(std::string_view kind, std::size_t size) {
  double least = 1e30;
  double most = 0.0;
  for (const std::vector<double>& sizes : sizes_of(kind)) {
    least = std::min(least, sizes[size]);
    most = std::max(most, sizes[size]);
  }
  return {least, most};
}

TEST(OpGrid, HoldsTheStepsByWhichLanguageModelsGenerate) {
  using Range = std::pair<double, double>;
  EXPECT_GT(sizes_of("attention_decode.forward.bf16").size(), 150U);
  const Range group = range_of("attention_decode.forward.bf16", 1);
  EXPECT_EQ(group, Range(1.0, 8.0));
  const Range queries = range_of("attention_decode.forward.bf16", 2);
  EXPECT_EQ(queries.first, 1.0);
  EXPECT_GE(queries.second, 32.0);
  const Range keys = range_of("attention_decode.forward.bf16", 3);
  EXPECT_LT(keys.first, 128.0);
  EXPECT_GT(keys.second, 65536.0);
  EXPECT_EQ(range_of("attention_decode.forward.bf16", 4), Range(64.0, 256.0));
  EXPECT_EQ(range_of("attention_decode.forward.fp32", 1), Range(1.0, 1.0));
  EXPECT_EQ(range_of("attention_causal_grouped.forward.bf16", 2), Range(128.0, 8192.0));
  // Weights that no cache holds, by a few rows.
  int few_rows = 0;
  for (const std::vector<double>& sizes : sizes_of("linear.forward.bf16")) {
    if (sizes[0] <= 64.0 && sizes[1] * sizes[2] > 3e7) ++few_rows;
  }
  EXPECT_GT(few_rows, 80);
  EXPECT_GT(sizes_of("linear.forward.fp8").size(), 50U);
  EXPECT_GT(sizes_of("grouped_matmul.forward.bf16").size(), 20U);
  EXPECT_GE(sizes_of("grouped_matmul.weight_gradient.bf16").size(), 8U);
}

/// Where in a list each kind comes first, as a share of the list.
std::map<std::string, double> first_places(const std::vector<ProbeItem>& items) {
  std::map<std::string, double> places;
  for (std::size_t i = 0; i < items.size(); ++i) {
    places.emplace(kind_of(items[i]), static_cast<double>(i) / static_cast<double>(items.size()));
  }
  return places;
}

// A probe may stop anywhere: what it has measured by then is of every kind. Single functions of
// elements are left out here and there, and may come a shape later.
TEST(OpGrid, EveryFirstPartHasEveryKind) {
  for (const auto& [kind, place] : first_places(whole())) {
    const bool elementwise = predict::columns_of(kind.substr(0, kind.find('.'))).size() == 1;
    EXPECT_LT(place, elementwise ? 0.35 : 0.2) << kind;
  }
}

// A quick one has five shapes of a family, so that functions and layouts that take turns come
// later; the families themselves do not.
TEST(OpGrid, EveryFirstPartOfAQuickProbeHasEveryFamily) {
  const std::map<std::string, double> places = first_places(quick());
  for (const char* kind : {"conv2d.forward.fp32.nchw",
                           "conv2d.forward.tf32.nchw",
                           "conv2d.forward.bf16.nchw",
                           "conv2d_grouped.forward.tf32.nchw",
                           "conv2d_depthwise.forward.bf16.nhwc",
                           "linear.forward.fp32",
                           "linear.forward.bf16",
                           "matmul.forward.tf32",
                           "attention.forward.bf16",
                           "batch_norm.forward.f32.nchw",
                           "batch_norm_eval.forward.f32.nchw",
                           "layer_norm.forward.f32",
                           "relu.forward.f32",
                           "add.forward.bf16",
                           "sum.forward.f32",
                           "mul_broadcast.forward.f32",
                           "copy_strided.forward.f32",
                           "concat.forward.f32",
                           "cast_bf16.forward.f32",
                           "optimizer sgd-momentum"}) {
    ASSERT_TRUE(places.contains(kind)) << kind;
    EXPECT_LT(places.at(kind), 0.2) << kind;
  }
}

// Three tensors of that size (data, result, gradient) stay below the limit.
TEST(OpGrid, NoTensorIsBeyondTheMemory) {
  constexpr double limit = 1e9;
  const std::vector<ProbeItem> items = op_grid({.memory_bytes = limit});
  EXPECT_GT(items.size(), whole().size() / 2);
  double most = 0.0;
  for (const ProbeItem& item : items) {
    if (item.kind == ProbeKind::optimizer || item.kind == ProbeKind::call) continue;
    const graph::Graph graph = graph::parse_text(item.graph, "item");
    for (const graph::Node& node : graph.nodes) {
      for (const std::vector<graph::ValueId>* ids : {&node.inputs, &node.outputs}) {
        for (const graph::ValueId id : *ids) {
          const double bytes = static_cast<double>(graph.type(id).bytes());
          EXPECT_LE(bytes, limit) << item.graph;
          most = std::max(most, bytes);
        }
      }
    }
  }
  EXPECT_GT(most, limit / 10.0);
}

TEST(OpGrid, AsksOnlyForUnitsThatAreThere) {
  const std::vector<ProbeItem> items = op_grid({.quick = true, .tf32 = false, .half = false});
  EXPECT_LT(items.size(), quick().size());
  for (const ProbeItem& item : items) {
    EXPECT_EQ(item.precision, Precision::fp32);
    EXPECT_EQ(item.graph.find("bf16"), std::string::npos) << item.graph;
  }
  const auto tf32 = [](const ProbeItem& item) { return item.precision == Precision::tf32; };
  EXPECT_GT(std::ranges::count_if(quick(), tf32), 0);
}

TEST(OpGrid, BatchesAreAsLargeAsAsked) {
  for (const ProbeItem& item : op_grid({.quick = true, .image_batch = 8})) {
    if (item.kind == ProbeKind::optimizer) continue;
    const std::vector<OpShape> shapes = own_shapes(item);
    if (shapes.empty() || !shapes[0].op.starts_with("conv")) continue;
    EXPECT_LE(shapes[0].sizes[0], 8.0) << item.graph;
  }
}

// 1 TFLOP/s, 15 ms at most: 1.5e10 FLOPs; six times that where it is not plain FP32.
TEST(OpGrid, SlowDevicesGetSmallerProducts) {
  for (const ProbeItem& item : op_grid({.quick = true, .flops_per_s = 1e12})) {
    if (item.kind == ProbeKind::optimizer) continue;
    const std::vector<OpShape> shapes = own_shapes(item);
    if (shapes.empty()) continue;
    if (!shapes[0].op.starts_with("conv") && shapes[0].op != "linear") continue;
    EXPECT_LE(predict::work_of(shapes[0]).matrix_flops, 9.1e10) << item.graph;
  }
}

}  // namespace
}  // namespace rooflab::probe
