// Single ops measured by the real worker, on the CPU. Bytes follow from extents; of times only what
// must hold on any machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/format.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Eq;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

// 2 x 8 x 16 x 16 floats out, 16,384 bytes.
constexpr const char* convolution =
    "graph conv\n"
    "parameter %x f32[2x3x16x16]\n"
    "parameter %w f32[8x3x3x3]\n"
    "parameter %b f32[8]\n"
    "conv = conv kernel=[3,3] stride=[1,1] padding_begin=[1,1] padding_end=[1,1] dilation=[1,1] "
    "(%x, %w, %b) -> %y f32[2x8x16x16]\n"
    "outputs %y\n";
// 16,000 bytes.
constexpr const char* relu =
    "graph relu\n"
    "parameter %x f32[4x1000]\n"
    "relu = unary function=relu (%x) -> %y f32[4x1000]\n"
    "outputs %y\n";

ProbeItem op(std::string graph, bool gradients = true) {
  ProbeItem item;
  item.graph = std::move(graph);
  item.gradients = gradients;
  return item;
}

class OpProbe : public testing::Test {
 protected:
  OpProbe() { fs::remove(results_); }
  ~OpProbe() override { fs::remove(results_); }

  OpProbeOutcome probe(std::vector<ProbeItem> items, double budget_s = 100.0) const {
    OpProbeRequest request;
    request.device = "cpu";
    request.budget_s = budget_s;
    request.items = std::move(items);
    return run_op_probe(request, results_, {.worker = ROOFLAB_TORCH_WORKER});
  }
  ProbeResult probe_one(ProbeItem item) const {
    const OpProbeOutcome outcome = probe({std::move(item)});
    return outcome.results.size() == 1 ? outcome.results.front() : ProbeResult{};
  }

  const fs::path results_ =
      fs::temp_directory_path() / format("rooflab_op_probe_{}.jsonl", static_cast<int>(::getpid()));
};

const auto measured = AnyOf(Eq(""), Eq("unsteady"));

TEST_F(OpProbe, AConvolutionHasBothItsGradients) {
  const OpProbeOutcome outcome = probe({op(convolution)});
  EXPECT_EQ(outcome.environment.device.kind, "cpu");
  EXPECT_THAT(outcome.event_s, Optional(Gt(0.0)));
  EXPECT_FALSE(outcome.context_bytes.has_value());
  ASSERT_THAT(outcome.results, SizeIs(1));
  const ProbeResult& result = outcome.results.front();
  EXPECT_EQ(result.item, 0U);
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
  EXPECT_THAT(result.data_gradient_s, Optional(Gt(0.0)));
  EXPECT_THAT(result.weight_gradient_s, Optional(Gt(0.0)));
  EXPECT_THAT(result.issue_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.gradients_s.has_value());
  EXPECT_FALSE(result.optimizer_s.has_value());
  // Workspace may come on top: oneDNN's layouts pad channels to 16, which makes 32,768 bytes of
  // each side.
  EXPECT_GE(result.forward_peak_bytes.value(), 16384.0);
  EXPECT_LE(result.forward_peak_bytes.value(), 16384.0 + 4.0 * 32768.0);
  EXPECT_GE(result.data_gradient_peak_bytes.value(), 2.0 * 3 * 16 * 16 * 4);
  EXPECT_GE(result.weight_gradient_peak_bytes.value(), 8.0 * 3 * 3 * 3 * 4);
}

TEST_F(OpProbe, ARectifierHasAGradientOfItsDataOnly) {
  const ProbeResult result = probe_one(op(relu));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.data_gradient_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.weight_gradient_s.has_value());
  EXPECT_EQ(result.gradients_s, result.data_gradient_s);
  EXPECT_THAT(result.forward_peak_bytes, Optional(16000.0));
  EXPECT_THAT(result.data_gradient_peak_bytes, Optional(16000.0));
  EXPECT_FALSE(result.weight_gradient_peak_bytes.has_value());
}

TEST_F(OpProbe, InferenceHasNoGradients) {
  const ProbeResult result = probe_one(op(convolution, false));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.data_gradient_s.has_value());
  EXPECT_FALSE(result.weight_gradient_s.has_value());
  EXPECT_FALSE(result.gradients_s.has_value());
}

// The difference of the two is the weights': they cannot be had by themselves.
TEST_F(OpProbe, RecurrentLayersHaveGradientsOfTheirDataAndOfAll) {
  const ProbeResult result = probe_one(
      op("graph lstm\n"
         "parameter %x f32[7x3x5]\n"
         "buffer %h f32[1x3x4]\n"
         "buffer %c f32[1x3x4]\n"
         "parameter %w f32[16x5]\n"
         "parameter %r f32[16x4]\n"
         "lstm = recurrent cell=lstm bias=false initial_state=true (%x, %h, %c, %w, %r) -> "
         "%y f32[7x3x4], %hn f32[1x3x4], %cn f32[1x3x4]\n"
         "outputs %y\n"));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
  EXPECT_THAT(result.data_gradient_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.weight_gradient_s.has_value());
  EXPECT_THAT(result.gradients_s, Optional(Gt(0.0)));
}

TEST_F(OpProbe, ANormHasGradientsOfAllItsParameters) {
  const ProbeResult result =
      probe_one(op("graph norm\n"
                   "parameter %x f32[4x8x10x10]\n"
                   "parameter %scale f32[8]\n"
                   "parameter %shift f32[8]\n"
                   "buffer %mean f32[8]\n"
                   "buffer %variance f32[8]\n"
                   "norm = batch_norm (%x, %scale, %shift, %mean, %variance) -> %y f32[4x8x10x10]\n"
                   "outputs %y\n"));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.data_gradient_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.weight_gradient_s.has_value());
  EXPECT_THAT(result.gradients_s, Optional(Gt(0.0)));
  // Of the data, 12,800 bytes; of scale and shift, 32 each.
  EXPECT_GE(result.gradients_peak_bytes.value(), 12800.0 + 64.0);
}

// A verified graph writes to results only: the cast makes one, and no copy. What an op out of place
// would write is not allocated.
TEST_F(OpProbe, AnOpInPlaceIsMeasuredWithoutGradients) {
  const ProbeResult result =
      probe_one(op("graph relu\n"
                   "parameter %x f32[4x1000]\n"
                   "same = cast to=f32 (%x) -> %v f32[4x1000]\n"
                   "relu = unary function=relu inplace=true (%v) -> %y f32[4x1000]\n"
                   "outputs %y\n"));
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
  EXPECT_THAT(result.forward_peak_bytes, Optional(0.0));
  EXPECT_FALSE(result.data_gradient_s.has_value());
  EXPECT_THAT(result.message, AnyOf(Eq("in place: no gradients"), Eq("unsteady")));
}

TEST_F(OpProbe, IndicesHaveNoGradients) {
  const ProbeResult result =
      probe_one(op("graph largest\n"
                   "parameter %x f32[4x1000]\n"
                   "largest = reduce function=arg_max axes=[1] (%x) -> %y i64[4]\n"
                   "outputs %y\n"));
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.data_gradient_s.has_value());
  EXPECT_FALSE(result.gradients_s.has_value());
  EXPECT_THAT(result.message, AnyOf(Eq("no gradients"), Eq("unsteady")));
}

// contiguous() copies where the layout is another one, and only there.
TEST_F(OpProbe, OperandsOfRankFourAreInTheLayoutAskedFor) {
  ProbeItem first =
      op("graph copy\n"
         "parameter %x f32[2x3x16x16]\n"
         "copy = contiguous (%x) -> %y f32[2x3x16x16]\n"
         "outputs %y\n",
         false);
  ProbeItem last = first;
  last.channels_last = true;
  const OpProbeOutcome outcome = probe({first, last});
  ASSERT_THAT(outcome.results, SizeIs(2));
  EXPECT_THAT(outcome.results[0].forward_peak_bytes, Optional(0.0));
  EXPECT_THAT(outcome.results[1].forward_peak_bytes, Optional(2.0 * 3 * 16 * 16 * 4));
}

// The copy of a transposed operand: 64 x 32 floats. Were the view's result dense, there were none.
TEST_F(OpProbe, AViewBeforeTheOpMakesAStridedOperand) {
  const ProbeResult result =
      probe_one(op("graph copy\n"
                   "parameter %x f32[64x32]\n"
                   "view = transpose permutation=[1,0] (%x) -> %t f32[32x64]\n"
                   "copy = contiguous (%t) -> %y f32[32x64]\n"
                   "outputs %y\n"));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.forward_peak_bytes, Optional(8192.0));
  EXPECT_TRUE(result.data_gradient_s.has_value());
}

TEST_F(OpProbe, AChainTellsTheHostsTimePerNode) {
  constexpr int nodes = 20;
  std::string graph = "graph chain\nparameter %v0 f32[8x8]\n";
  for (int i = 1; i <= nodes; ++i) {
    graph += format("relu{} = unary function=relu (%v{}) -> %v{} f32[8x8]\n", i, i - 1, i);
  }
  graph += format("outputs %v{}\n", nodes);
  ProbeItem item = op(graph);
  item.kind = ProbeKind::chain;
  const ProbeResult result = probe_one(item);
  EXPECT_THAT(result.message, IsEmpty());
  EXPECT_GT(result.forward_s.value(), 0.0);
  EXPECT_NEAR(result.forward_s.value() * nodes, result.issue_s.value(),
              1e-9 * result.issue_s.value());
  EXPECT_THAT(result.gradients_s, Optional(Gt(0.0)));
  EXPECT_FALSE(result.data_gradient_s.has_value());
}

TEST_F(OpProbe, AStepOfAnOptimizerIsTimed) {
  ProbeItem item = op(convolution);
  item.kind = ProbeKind::optimizer;
  std::vector<ProbeItem> items;
  for (const char* const name : {"sgd", "sgd-momentum", "adam", "newton"}) {
    item.optimizer = name;
    items.push_back(item);
  }
  const OpProbeOutcome outcome = probe(items);
  ASSERT_THAT(outcome.results, SizeIs(4));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(outcome.results[i].message, measured);
    EXPECT_THAT(outcome.results[i].optimizer_s, Optional(Gt(0.0)));
    EXPECT_THAT(outcome.results[i].issue_s, Optional(Gt(0.0)));
    EXPECT_FALSE(outcome.results[i].forward_s.has_value());
  }
  EXPECT_THAT(outcome.results[3].message, HasSubstr("newton"));
  EXPECT_FALSE(outcome.results[3].optimizer_s.has_value());
}

TEST_F(OpProbe, WhatCannotBeMeasuredIsTheMessageOfItsItem) {
  const ProbeItem unknown =
      op("graph fold\n"
         "parameter %x f32[4x4]\n"
         "fold = opaque type=\"Fold\" outputs=[[4,4]] dtypes=[f32] (%x) -> %y f32[4x4]\n"
         "outputs %y\n");
  const ProbeItem two_ops =
      op("graph two\n"
         "parameter %x f32[4x4]\n"
         "first = unary function=relu (%x) -> %y f32[4x4]\n"
         "second = unary function=relu (%y) -> %z f32[4x4]\n"
         "outputs %z\n");
  ProbeItem tf32 = op(relu);
  tf32.precision = Precision::tf32;
  const OpProbeOutcome outcome = probe({unknown, op("graph"), two_ops, tf32, op(relu)});
  ASSERT_THAT(outcome.results, SizeIs(5));
  EXPECT_THAT(outcome.results[0].message, HasSubstr("Fold"));
  EXPECT_THAT(outcome.results[1].message, HasSubstr("item:"));
  EXPECT_THAT(outcome.results[2].message, HasSubstr("'first', no view"));
  EXPECT_THAT(outcome.results[3].message, HasSubstr("TF32"));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(outcome.results[i].forward_s.has_value());
  EXPECT_THAT(outcome.results[4].message, measured);
  EXPECT_THAT(outcome.results[4].forward_s, Optional(Gt(0.0)));
}

TEST_F(OpProbe, AnItemThatIsTooLargeIsOutOfMemory) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer ends a process that allocates so much";
#endif
  // 4 EB: no machine promises them.
  const OpProbeOutcome outcome = probe({op("graph relu\n"
                                           "parameter %x f32[1000000000x1000000000]\n"
                                           "relu = unary function=relu (%x) -> %y "
                                           "f32[1000000000x1000000000]\n"
                                           "outputs %y\n"),
                                        op(relu)});
  ASSERT_THAT(outcome.results, SizeIs(2));
  EXPECT_EQ(outcome.results[0].message, "out of memory");
  EXPECT_FALSE(outcome.results[0].forward_s.has_value());
  EXPECT_THAT(outcome.results[1].forward_s, Optional(Gt(0.0)));
}

TEST_F(OpProbe, WhatTheFileHoldsIsNotMeasuredAgain) {
  const std::vector<ProbeItem> items = {op(relu), op(convolution), op(relu, false)};
  ASSERT_THAT(probe(items).results, SizeIs(3));
  // The first result becomes another one, the second goes, the third is cut off.
  std::vector<std::string> lines;
  std::istringstream stream(read_file(results_));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ofstream changed(results_);
  for (const std::string& line : lines) {
    Json json = Json::parse(line);
    if (!json.contains("item_result")) {
      changed << line << '\n';
    } else if (json["item_result"]["item"] == 0) {
      json["item_result"]["forward_s"] = 1234.5;
      changed << json.dump() << '\n';
    } else if (json["item_result"]["item"] == 2) {
      changed << line.substr(0, line.size() / 2);
    }
  }
  changed.close();
  const OpProbeOutcome outcome = probe(items);
  ASSERT_THAT(outcome.results, SizeIs(3));
  EXPECT_THAT(outcome.results[0].forward_s, Optional(1234.5));
  EXPECT_THAT(outcome.results[1].weight_gradient_s, Optional(Gt(0.0)));
  EXPECT_LT(outcome.results[2].forward_s.value(), 1234.5);
}

TEST_F(OpProbe, WithoutTimeNothingIsMeasured) {
  const OpProbeOutcome outcome = probe({op(relu)}, 0.0);
  EXPECT_THAT(outcome.results, IsEmpty());
  EXPECT_EQ(outcome.environment.device.kind, "cpu");
  EXPECT_THAT(outcome.environment.libraries, testing::Contains(testing::Key("libtorch")));
  // And the file can be gone on with.
  EXPECT_THAT(probe({op(relu)}).results, SizeIs(1));
}

TEST_F(OpProbe, ADeviceThatIsNotThereIsAnError) {
  OpProbeRequest request;
  request.device = "abacus";
  request.items = {op(relu)};
  try {
    static_cast<void>(run_op_probe(request, results_, {.worker = ROOFLAB_TORCH_WORKER}));
    FAIL() << "measured on an abacus";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capability);
    EXPECT_THAT(error.what(), HasSubstr("abacus"));
  }
}

ProbeItem call(std::string kind, std::vector<double> sizes) {
  ProbeItem item;
  item.kind = ProbeKind::call;
  item.graph = text_of({std::move(kind), std::move(sizes)});
  return item;
}

// What no op of a graph is; a CPU multiplies neither groups nor FP8 with an old PyTorch.
TEST_F(OpProbe, CallsOfTheFramework) {
  const OpProbeOutcome outcome =
      probe({call("copy.forward.f32", {100000}), call("fill.forward.i64", {100000}),
             call("sort.forward.f32", {10, 1000}), call("swirl.forward.f32", {10}),
             call("sort.forward.f32", {10})});
  ASSERT_THAT(outcome.results, SizeIs(5));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(outcome.results[i].forward_s, Optional(Gt(0.0)));
    EXPECT_THAT(outcome.results[i].message, measured);
  }
  EXPECT_THAT(outcome.results[3].message, HasSubstr("swirl.forward.f32"));
  EXPECT_THAT(outcome.results[4].message, HasSubstr("1 sizes"));
}

// One query of four heads over the keys of two.
TEST_F(OpProbe, AttentionOfHeadsThatShareKeys) {
  const ProbeResult result =
      probe_one(op("graph decode\n"
                   "parameter %q f32[1x4x1x8]\n"
                   "parameter %k f32[1x2x64x8]\n"
                   "parameter %v f32[1x2x64x8]\n"
                   "decode = attention (%q, %k, %v) -> %y f32[1x4x1x8]\n"
                   "outputs %y\n",
                   false));
  EXPECT_THAT(result.message, measured);
  EXPECT_THAT(result.forward_s, Optional(Gt(0.0)));
}

}  // namespace
}  // namespace rooflab::engine
