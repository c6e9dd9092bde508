#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "published_studies.hpp"

namespace rooflab::study {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using enum Explanation::Kind;

// 2 * 182.96 G / 1.17282 ms = 312.0 TFLOP/s; 182.96 G / 1.17282 ms = 156.0.
TEST_F(Explanations, PeakBehindAnEstimatedTime) {
  own_passes_of_256(a100);
  publish(pass("alexnet", a100), {{"macs", 182.96e9}, {"estimated_time", 0.00117282}});
  publish(pass("alexnet", t4), {{"macs", 182.96e9}, {"estimated_time", 0.04517531}});
  const std::vector<Explanation> found = of(wrong_roof);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].subject, "alexnet on a100-sxm4-40gb, forward, batch 256");
  EXPECT_EQ(found[0].sentence,
            "the estimated time 1.173 ms is 365.9 GFLOP (macs, 2 FLOP each) over the peak of TF32 "
            "tensor (its own figure with sparsity) or FP16 tensor (FP32 accumulate) or FP16 tensor "
            "(FP16 accumulate) or BF16 tensor; matrix work of this case runs on TF32 tensor");
  EXPECT_THAT(found[0].evidence,
              ElementsAre(AllOf(StartsWith("365.9 GFLOP (macs, 2 FLOP each) / 1.173 ms = 312 "),
                                HasSubstr("BF16 tensor 312 TFLOP/s")),
                          "183 GFLOP (macs, each taken for 1 FLOP) / 1.173 ms = 156 TFLOP/s: TF32 "
                          "tensor 156 TFLOP/s",
                          "A100 SXM4 40GB: TF32 tensor 156 TFLOP/s",
                          "on t4 the same source's peak is that of FP32"));
}

// 8.1 TFLOP/s is the T4's FP32 peak. A row that says FP16 should have its tensor cores.
TEST_F(Explanations, Fp32PeakOverFp16) {
  Attributes where = pass("vgg16", t4);
  where["precision"] = "fp16";
  publish(where, {{"macs", 3.96e12}, {"estimated_time", 0.97777778}});
  EXPECT_THAT(sentences(wrong_roof),
              ElementsAre("the estimated time 977.8 ms is 7.92 TFLOP (macs, 2 FLOP each) over the "
                          "peak of FP32; matrix work of this case runs on FP16 tensor (FP32 "
                          "accumulate) or FP16 tensor (FP16 accumulate)"));
}

TEST_F(Explanations, PeakThatThePublisherNames) {
  publish(pass("vgg16", a100), {{"macs", 3.96e12}}).used["peak_flops"] = 312e12;
  publish(pass("alexnet", a100), {{"macs", 3.96e12}}).used["peak_flops"] = 156e12;
  publish(pass("vgg16", t4), {{"macs", 3.96e12}}).used["peak_flops"] = 8.1e12;
  const std::vector<Explanation> found = of(wrong_roof);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence,
              AllOf(StartsWith("the peak of 312 TFLOP/s is that of TF32 tensor (its own figure "
                               "with sparsity) or FP16 tensor"),
                    HasSubstr("runs on TF32 tensor")));
  EXPECT_THAT(found[0].evidence, Contains("on t4 the same source's peak is that of FP32"));
}

// NVIDIA prints 989.4 for TF32 with sparsity, which is also what it prints for dense FP16.
TEST_F(Explanations, PeakWithSparsity) {
  publish(pass("vgg16", h100), {{"macs", 3.96e12}}).used["peak_flops"] = 989.4e12;
  std::vector<Explanation> found = of(wrong_roof);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].sentence,
            "the peak of 989.4 TFLOP/s is that of TF32 tensor (its own figure with sparsity) or "
            "FP16 tensor (FP32 accumulate) or FP16 tensor (FP16 accumulate) or BF16 tensor; matrix "
            "work of this case runs on TF32 tensor");
  EXPECT_THAT(found[0].evidence.front(),
              StartsWith("H100 SXM5 80GB: TF32 tensor with sparsity 989.4 TFLOP/s, FP16 tensor"));
  // No dense path of an A100 has 624 TFLOP/s: 2 * 312. 7.92 TFLOP / 624 TFLOP/s = 12.692 ms.
  study_.published.clear();
  Attributes bf16 = pass("vgg16", a100);
  bf16["precision"] = "bf16";
  publish(bf16, {{"macs", 3.96e12}}).used["peak_flops"] = 624e12;
  publish(bf16, {{"macs", 3.96e12}, {"estimated_time", 0.0126923}});
  EXPECT_THAT(
      sentences(wrong_roof),
      ElementsAre("the peak of 624 TFLOP/s is that of BF16 tensor (its own figure with sparsity); "
                  "matrix work of this case runs on BF16 tensor",
                  "the estimated time 12.69 ms is 7.92 TFLOP (macs, 2 FLOP each) over the peak of "
                  "BF16 tensor (its own figure with sparsity); matrix work of this case runs on "
                  "BF16 tensor"));
}

// Twice the dense peaks of a V100 (125) and an MI100 (184.6), which do not skip zeros, and of FP32
// on CUDA cores (19.5) and FP64 on tensor cores (19.5), which never do.
TEST_F(Explanations, PeaksWithoutSparsity) {
  const auto use = [&](const char* device, const char* precision, double peak) {
    Attributes where = pass("vgg16", device);
    where["precision"] = precision;
    publish(where, {{"macs", 3.96e12}}).used["peak_flops"] = peak;
  };
  use(v100, "fp16", 250e12);
  use("mi100", "fp16", 369.2e12);
  use(a100, "fp32", 39e12);
  use(a100, "fp64", 39e12);
  EXPECT_THAT(of(wrong_roof), IsEmpty());
}

// 19.5 is right for fp32 data on CUDA cores. A count that shows the work on tensor cores says that
// it did not run there.
TEST_F(Explanations, Fp32PeakOverWorkOfTensorCores) {
  own_steps_of_resnet18();
  publish(step("resnet18", a100), {{"counted_flops", 1214372889}}).used["peak_flops"] = 19.5e12;
  EXPECT_THAT(sentences(wrong_roof),
              ElementsAre("the peak of 19.5 TFLOP/s is that of FP32 or FP64 tensor; matrix work of "
                          "this case runs on TF32 tensor"));
}

TEST_F(Explanations, NoWrongRoof) {
  // Not known what it ran in: no precision, no case of ours.
  publish(step("resnet18", a100), {}).used["peak_flops"] = 312e12;
  // FP32 data on an FP32 peak.
  Attributes fp32 = step("resnet18", a100);
  fp32["precision"] = "fp32";
  publish(fp32, {}).used["peak_flops"] = 19.5e12;
  // No path has such a peak.
  publish(fp32, {}).used["peak_flops"] = 42e12;
  // 5,288,565,000 B / 1555 GB/s = 3.401 ms: the memory's roof.
  publish(pass("resnet18", a100),
          {{"macs", 530.6e9}, {"estimated_bytes", 5288565000}, {"estimated_time", 0.00340101}});
  EXPECT_THAT(of(wrong_roof), IsEmpty());
}

}  // namespace
}  // namespace rooflab::study
