#include "rooflab/task/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"

namespace rooflab::task {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string logs = ROOFLAB_SOURCE_DIR "/tests/data/import/ncu/";

ImportResult imported(const ImportRequest& request) {
  Session session;
  session.command = "rooflab import";
  return run(request, session);
}

TEST(Import, ChecksALogAgainstItsNetwork) {
  ImportRequest request;
  request.files = {logs + "resnet18-b1-train-tf32.csv"};
  request.check = "resnet18";
  request.network.phase = {Phase::training};
  const ImportResult result = imported(request);
  ASSERT_EQ(result.recorded.imported.size(), 1U);
  const analyze::ImportedCase& log = result.recorded.imported.front();
  EXPECT_EQ(log.check->network, "resnet18, batch 1, training");
  EXPECT_EQ(log.record.identity.command, "rooflab import");
  EXPECT_TRUE(log.check->passes());
  EXPECT_TRUE(result.complete());
}

TEST(Import, AnotherNetworkDoesNotPass) {
  ImportRequest request;
  request.files = {logs + "resnet18-b1-train-tf32.csv"};
  request.check = "resnet50";
  request.network.phase = {Phase::training};
  EXPECT_FALSE(imported(request).complete());
}

TEST(Import, NeedsNoFileForTheCommandLineOfNcu) {
  ImportRequest request;
  request.ncu_command = "9.0";
  EXPECT_THAT(imported(request).ncu_command, StartsWith("ncu --csv"));
}

TEST(Import, NeedsAFileOtherwise) {
  try {
    (void)imported({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), HasSubstr("--ncu-command"));
  }
}

}  // namespace
}  // namespace rooflab::task
