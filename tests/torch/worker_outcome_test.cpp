// Cases that a machine cannot run end in a status with its reason, never in a crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "system/child_process.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

using record::Record;
using record::Status;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Precisions : public testing::TestWithParam<std::tuple<Precision, Phase>> {};

// Which op has a kernel for which type changes from one libtorch to the next: fp16 convolutions on
// the CPU came with 2.1.
TEST_P(Precisions, RunOrAreUnsupported) {
  const auto [precision, phase] = GetParam();
  Case request = short_case("resnet18", {.batch = 2, .image_size = 64}, phase);
  request.identity.precision = precision;
  const Record result = run(request);
  EXPECT_THAT(result.status, AnyOf(Eq(Status::ok), Eq(Status::unsupported))) << result.message;
  EXPECT_EQ(result.timing.has_value(), result.status == Status::ok);
  EXPECT_EQ(result.message.empty(), result.status == Status::ok) << result.message;
  if (precision == Precision::fp64 || precision == Precision::fp32) {
    EXPECT_EQ(result.status, Status::ok) << result.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Precisions,
                         testing::Combine(testing::Values(Precision::fp64, Precision::fp32,
                                                          Precision::tf32, Precision::fp16,
                                                          Precision::bf16, Precision::amp,
                                                          Precision::amp_fp16, Precision::amp_bf16),
                                          testing::Values(Phase::inference, Phase::training)),
                         [](const auto& test) {
                           std::string name(name_of(std::get<0>(test.param)));
                           std::ranges::replace(name, '-', '_');
                           return name + "_" + std::string(name_of(std::get<1>(test.param)));
                         });

TEST(WorkerOutcome, AutocastToFp16OnACpuNeedsALaterLibtorch) {
  Case request = short_case("squeezenet1_0", {.batch = 1, .image_size = 64}, Phase::training);
  request.identity.precision = Precision::amp_fp16;
  const Record result = run(request);
  if (result.status == Status::ok) GTEST_SKIP() << "this libtorch can";
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_THAT(result.message, HasSubstr("autocast to fp16 on a CPU: libtorch"));
}

TEST(WorkerOutcome, CudaWithoutCudaIsUnsupported) {
  const Capabilities worker = describe(ROOFLAB_TORCH_WORKER);
  if (worker.missing.empty()) GTEST_SKIP() << "this libtorch has CUDA";
  Case request = short_case("squeezenet1_0", {.batch = 1, .image_size = 64});
  request.identity.device = "cuda:0";
  const Record result = run(request);
  EXPECT_EQ(result.status, Status::unsupported);
#ifdef ROOFLAB_TORCH_CUDA
  EXPECT_EQ(result.message, "this machine has no CUDA device");
#else
  EXPECT_THAT(result.message, HasSubstr("has no CUDA support"));
#endif
}

TEST(WorkerOutcome, AnUnknownDeviceIsUnsupported) {
  Case request = short_case("squeezenet1_0", {.batch = 1, .image_size = 64});
  request.identity.device = "abacus";
  const Record result = run(request);
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_THAT(result.message, HasSubstr("abacus"));
}

/// Takes address space from this process and its children, so that a kernel which promises any
/// amount of memory does not have to keep its word.
class AddressSpace {
 public:
  explicit AddressSpace(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = std::min(bytes, before_.rlim_max);
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_{};
};

// The input alone has 10,000,000 x 3 x 224 x 224 x 4 bytes: 6.02 TB.
TEST(WorkerOutcome, AnAbsurdBatchRunsOutOfMemory) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer ends a process that allocates so much";
#endif
  const Case request = short_case("resnet18", {.batch = 10'000'000});
  const AddressSpace limit(rlim_t{64} << 30U);
  const Record result = run(request);
  EXPECT_EQ(result.status, Status::oom) << result.message;
  EXPECT_THAT(result.message, HasSubstr("memory"));
  EXPECT_THAT(result.message, HasSubstr("6021120000000"));
  EXPECT_THAT(result.message, HasSubstr("ensors held"));
  EXPECT_FALSE(result.timing.has_value());
  EXPECT_THAT(result.environment.date, Not(IsEmpty()));
}

TEST(WorkerOutcome, AnUnknownCommandGetsAllThatThereAre) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"trian", "a.json", "b.json"}, {"run", "a.json"}}) {
    const ChildResult result = run_child(ROOFLAB_TORCH_WORKER, words);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.errors,
              "usage: rooflab-torch describe | run CASE.json RECORD.json | train REQUEST.json"
              " RUN.json | evaluate REQUEST.json RESULT.json | probe REQUEST.json RESULTS.jsonl |"
              " stages REQUEST.json RUN.json | rank REQUEST.json RESULT.json |"
              " links REQUEST.json RESULT.json\n");
  }
}

}  // namespace
}  // namespace rooflab::engine
