#include "rooflab/analyze/recorded_case.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../trace/trace_record.hpp"

namespace rooflab::analyze {
namespace {

using trace::TraceRecord;

constexpr const char* images = "[[16, 3, 224, 224], [64, 3, 7, 7]]\n[\"float\", \"float\"]";

/// A call of an op that launches a kernel of 100.
void add_op(TraceRecord& trace, std::string_view name, std::int64_t start,
            std::string_view arguments = "", std::string_view kernel = "k") {
  trace.op(name, start, 10, start, "1/1", arguments);
  trace.call(start + 1, 1, start, start);
  trace.kernel(kernel, start + 2, 100, start);
}

RecordedCase shown(const TraceRecord& trace) {
  const trace::TraceAnalysis analysis = trace::analyze_trace(trace.record());
  return recorded_case_of(trace.record(), &analysis);
}

TEST(RecordedCase, AForwardPassIsInferenceAtTheBatchOfItsImages) {
  TraceRecord trace;
  add_op(trace, "aten::cudnn_convolution", 1000, images);
  const RecordedCase found = shown(trace);
  EXPECT_EQ(found.phase, Phase::inference);
  EXPECT_EQ(found.batch, 16);
  EXPECT_EQ(found.optimizer, std::nullopt);
}

TEST(RecordedCase, ABackwardPassIsTraining) {
  TraceRecord trace;
  add_op(trace, "aten::cudnn_convolution", 1000, images);
  add_op(trace, "aten::convolution_backward", 2000);
  EXPECT_EQ(shown(trace).phase, Phase::training);
  TraceRecord without_ops;
  without_ops.kernel("sm90_xmma_wgrad_implicit_gemm_f32", 0, 10);
  EXPECT_EQ(shown(without_ops).phase, Phase::training);
}

TEST(RecordedCase, WhatNothingShowsIsUnknown) {
  TraceRecord trace;
  trace.kernel("k", 0, 10);
  const RecordedCase found = shown(trace);
  EXPECT_EQ(found.phase, std::nullopt);
  EXPECT_EQ(found.batch, std::nullopt);
  EXPECT_EQ(found.precision, std::nullopt);
}

TEST(RecordedCase, CallsThatDifferHaveNoBatch) {
  TraceRecord trace;
  add_op(trace, "aten::conv2d", 1000, images);
  add_op(trace, "aten::conv2d", 2000, "[[8, 3, 9, 9], [8, 3, 3, 3]]\n[\"float\", \"float\"]");
  EXPECT_EQ(shown(trace).batch, std::nullopt);
}

TEST(RecordedCase, TokensHaveTheBatchOfTheirIndices) {
  TraceRecord trace;  // positions are the same for every sample
  add_op(trace, "aten::embedding", 1000, "[[100, 8], [4, 128]]\n[\"float\", \"long int\"]");
  add_op(trace, "aten::embedding", 2000, "[[128, 8], [1, 128]]\n[\"float\", \"long int\"]");
  add_op(trace, "aten::addmm", 3000, "[[8], [512, 8], [8, 8]]\n[\"float\", \"float\", \"float\"]");
  EXPECT_EQ(shown(trace).batch, 4);
}

TEST(RecordedCase, MomentumMultiplies) {
  const auto optimizer = [](const std::string& name, const std::string& op) {
    TraceRecord trace;
    trace.annotation("Optimizer.step#" + name + ".step", 1000, 100);
    trace.op("aten::_foreach_add_", 1010, 10, 1);
    if (!op.empty()) trace.op(op, 1030, 10, 2);
    trace.kernel("k", 1040, 10);
    return shown(trace).optimizer;
  };
  EXPECT_EQ(optimizer("SGD", ""), schedule::Optimizer::sgd);
  EXPECT_EQ(optimizer("SGD", "aten::_foreach_mul_"), schedule::Optimizer::sgd_momentum);
  EXPECT_EQ(optimizer("SGD", "aten::_fused_sgd_"), std::nullopt);
  EXPECT_EQ(optimizer("AdamW", "aten::_foreach_mul_"), schedule::Optimizer::adam);
  EXPECT_EQ(optimizer("Lion", ""), std::nullopt);
}

TEST(RecordedCase, PrecisionIsThatOfTheOperands) {
  const auto precision = [](const std::string& type, const std::string& kernel, int casts) {
    TraceRecord trace;
    add_op(trace, "aten::mm", 1000, "[[8, 8], [8, 8]]\n[\"" + type + "\", \"" + type + "\"]",
           kernel);
    for (int i = 0; i < casts; ++i) {
      trace.op("aten::_to_copy", 5000 + 100 * i, 10, 0, "1/1", "[[8, 8]]\n[\"float\"]");
    }
    return shown(trace).precision;
  };
  EXPECT_EQ(precision("float", "sgemm", 0), Precision::fp32);
  EXPECT_EQ(precision("float", "xmma_gemm_tf32f32", 0), Precision::tf32);
  EXPECT_EQ(precision("c10::Half", "hgemm", 0), Precision::fp16);
  EXPECT_EQ(precision("c10::Half", "hgemm", 5), Precision::amp_fp16);
  EXPECT_EQ(precision("c10::BFloat16", "gemm", 1), Precision::bf16);  // the images alone
  EXPECT_EQ(precision("double", "dgemm", 0), Precision::fp64);
}

TEST(RecordedCase, PrecisionsThatAProgramMayShow) {
  EXPECT_TRUE(may_be_of(Precision::fp32, Precision::tf32));
  EXPECT_FALSE(may_be_of(Precision::tf32, Precision::fp32));
  EXPECT_TRUE(may_be_of(Precision::amp_bf16, Precision::amp));
  EXPECT_TRUE(may_be_of(Precision::fp16, Precision::amp_fp16));
  EXPECT_FALSE(may_be_of(Precision::fp16, Precision::bf16));
  EXPECT_FALSE(may_be_of(Precision::fp64, Precision::fp32));
}

}  // namespace
}  // namespace rooflab::analyze
