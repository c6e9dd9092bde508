// What issuing ops costs, from made-up times of chains.

#include "engine/host_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::engine {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Key;

constexpr double us = 1e-6;

TEST(HostGrid, HasEveryClassWithAndWithoutGradients) {
  std::set<std::pair<std::string, bool>> chains;
  std::set<std::pair<std::string, double>> optimizers;
  for (const HostItem& item : host_grid()) {
    const graph::Graph graph = graph::parse_text(item.item.graph, "chain");
    if (item.item.kind == ProbeKind::optimizer) {
      EXPECT_EQ(item.item.optimizer, item.host_class);
      const auto parameters =
          std::ranges::count(graph.values, graph::ValueKind::parameter, &graph::Value::kind);
      EXPECT_EQ(static_cast<double>(parameters), item.tensors);
      optimizers.insert({item.host_class, item.tensors});
      continue;
    }
    ASSERT_EQ(item.item.kind, ProbeKind::chain);
    chains.insert({item.host_class, item.item.gradients});
    bool found =
        !graph::find_attention_modules(graph).empty() && item.host_class == "attention_module";
    for (const graph::Node& node : graph.nodes) {
      found = found || predict::host_classes_of(node)[1] == item.host_class;
    }
    EXPECT_TRUE(found || item.host_class == "single" || item.host_class == "in turn")
        << item.host_class;
  }
  for (const char* name :
       {"conv2d", "batch_norm", "layer_norm", "linear", "matmul", "attention", "unary", "binary",
        "softmax", "cat", "view", "copy", "cast", "pool", "reduce", "dropout", "single"}) {
    EXPECT_THAT(chains, Contains(std::pair(std::string(name), false)));
    EXPECT_THAT(chains, Contains(std::pair(std::string(name), true)));
  }
  EXPECT_THAT(chains, Contains(std::pair(std::string("in turn"), false)));
  // Two numbers of tensors for each: a line.
  EXPECT_EQ(optimizers.size(), 6U);
}

/// Results of the grid's items of a class, with an offset as of a request.
class Measured {
 public:
  explicit Measured(std::size_t first = 0) : first_(first) {}

  void chain(std::string_view host_class, double inference, double forward, double backward) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].host_class != host_class || items_[i].tensors > 0.0) continue;
      ProbeResult result;
      result.item = first_ + i;
      result.forward_s = items_[i].item.gradients ? forward : inference;
      if (items_[i].item.gradients) result.gradients_s = backward;
      results_.push_back(result);
    }
  }
  void optimizer(std::string_view name, double fixed, double per_tensor) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].host_class != name || items_[i].tensors == 0.0) continue;
      ProbeResult result;
      result.item = first_ + i;
      result.issue_s = fixed + per_tensor * items_[i].tensors;
      results_.push_back(result);
    }
  }
  void add(const ProbeResult& result) { results_.push_back(result); }
  [[nodiscard]] record::HostCosts costs() const { return host_costs(items_, first_, results_); }

 private:
  std::vector<HostItem> items_ = host_grid();
  std::size_t first_;
  std::vector<ProbeResult> results_;
};

TEST(HostCosts, AreTheChainsTimesPerNode) {
  Measured measured;
  measured.chain("conv2d", 10 * us, 14 * us, 20 * us);
  const record::HostCosts costs = measured.costs();
  EXPECT_EQ(costs.issuer, "rooflab");
  ASSERT_THAT(costs.ops, testing::ElementsAre(Key("conv2d")));
  EXPECT_DOUBLE_EQ(costs.ops.at("conv2d").inference_s, 10 * us);
  EXPECT_DOUBLE_EQ(*costs.ops.at("conv2d").forward_s, 14 * us);
  EXPECT_DOUBLE_EQ(*costs.ops.at("conv2d").backward_s, 20 * us);
}

// A link of copy and view has two nodes of 5 us on average: 10 us, of which 2 are the view's.
TEST(HostCosts, ALinkIsLessItsView) {
  Measured measured;
  measured.chain("view", 2 * us, 3 * us, 4 * us);
  measured.chain("copy", 5 * us, 6 * us, 7 * us);
  measured.chain("cat", 8 * us, 8 * us, 8 * us);
  const record::HostCosts costs = measured.costs();
  EXPECT_NEAR(costs.ops.at("copy").inference_s, 8 * us, 1e-12);
  EXPECT_NEAR(*costs.ops.at("copy").forward_s, 9 * us, 1e-12);
  EXPECT_NEAR(*costs.ops.at("copy").backward_s, 10 * us, 1e-12);
  EXPECT_NEAR(costs.ops.at("cat").inference_s, 14 * us, 1e-12);
  EXPECT_NEAR(costs.ops.at("view").inference_s, 2 * us, 1e-12);
}

/// Every chain of ops takes 1 ms in evaluation, and `in_turn_s` those of all in turn.
Measured all_of_one_ms(double in_turn_s, std::string_view without = "") {
  Measured measured;
  const std::vector<HostItem> items = host_grid();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const HostItem& item = items[i];
    if (item.tensors > 0.0 || item.item.gradients || item.host_class == without) continue;
    ProbeResult result;
    result.item = i;
    result.forward_s = 10 * us;
    result.issue_s = item.host_class == "in turn" ? in_turn_s : 1e-3;
    measured.add(result);
  }
  return measured;
}

// 16 classes of op without the module of attention: 16 ms in rows, 20 ms in turn.
TEST(HostCosts, OpsInTurnTellTheJitter) {
  EXPECT_NEAR(all_of_one_ms(20e-3).costs().jitter, 1.25, 1e-12);
  EXPECT_EQ(all_of_one_ms(15e-3).costs().jitter, 1.0);
  EXPECT_EQ(all_of_one_ms(20e-3, "attention").costs().jitter, 1.0);
}

// Two casts in a link are both casts.
TEST(HostCosts, ALinkOfTwoEqualNodesIsNotTakenApart) {
  Measured measured;
  measured.chain("view", 2 * us, 2 * us, 2 * us);
  measured.chain("cast", 5 * us, 5 * us, 5 * us);
  EXPECT_DOUBLE_EQ(measured.costs().ops.at("cast").inference_s, 5 * us);
}

TEST(HostCosts, AnOptimizerIsALineThroughTwoPoints) {
  Measured measured;
  measured.optimizer("adam", 50 * us, 0.5 * us);
  const record::HostCosts costs = measured.costs();
  EXPECT_NEAR(costs.optimizer_fixed_s.at("adam"), 50 * us, 1e-12);
  EXPECT_NEAR(costs.optimizer_per_tensor_s.at("adam"), 0.5 * us, 1e-12);
  EXPECT_THAT(costs.optimizer_fixed_s, testing::Not(Contains(Key("sgd"))));
}

// A chain of one op takes what an op takes and what a step takes once.
TEST(HostCosts, AChainOfOneTellsWhatAStepTakesOnce) {
  Measured measured;
  measured.chain("unary", 4 * us, 6 * us, 8 * us);
  measured.chain("single", 30 * us, 35 * us, 108 * us);
  record::HostCosts costs = measured.costs();
  EXPECT_NEAR(costs.step_s, 26 * us, 1e-12);   // 30 - 4
  EXPECT_NEAR(costs.loss_s, 100 * us, 1e-12);  // 108 - 8: the engine's start
  EXPECT_THAT(costs.ops, testing::Not(Contains(Key("single"))));
  // Log-softmax and likelihood, forward and backward.
  measured.chain("softmax", 9 * us, 10 * us, 15 * us);
  costs = measured.costs();
  EXPECT_NEAR(costs.loss_s, (100 + 2 * 10 + 2 * 15) * us, 1e-12);
}

// In a request the chains come first or later; other results are of ops.
TEST(HostCosts, ItemsBeginWhereTheRequestSays) {
  Measured measured(100);
  measured.chain("unary", 4 * us, 6 * us, 8 * us);
  ProbeResult of_an_op;
  of_an_op.item = 3;
  of_an_op.forward_s = 1.0;
  measured.add(of_an_op);
  of_an_op.item = 100'000;
  measured.add(of_an_op);
  const record::HostCosts costs = measured.costs();
  ASSERT_THAT(costs.ops, testing::ElementsAre(Key("unary")));
  EXPECT_DOUBLE_EQ(costs.ops.at("unary").inference_s, 4 * us);
}

TEST(HostCosts, OfNothingAreEmpty) {
  const record::HostCosts costs = Measured().costs();
  EXPECT_THAT(costs.ops, IsEmpty());
  EXPECT_THAT(costs.optimizer_fixed_s, IsEmpty());
  EXPECT_EQ(costs.step_s, 0.0);
}

}  // namespace
}  // namespace rooflab::engine
