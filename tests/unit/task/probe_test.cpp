#include "rooflab/task/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// The fake worker makes its figures up.
class ProbeTask : public TaskWithWorkers<ProbeRequest> {
 protected:
  ProbeTask() {
    request_.device = "cpu";
    request_.quick = true;
    request_.python = "none";
    session_.say = [this](std::string_view line) { said_.emplace_back(line); };
  }

  std::vector<std::string> said_;
};

TEST_F(ProbeTask, MeasuresSavesAndFitsAgain) {
  const TemporaryFolder folder("probe");
  request_.only = {ProbePart::links};
  request_.save = folder.file("mine.toml").string();
  EXPECT_EQ(run(request_, session_).probed.calibration.id, "mine");
  EXPECT_THAT(said_, Contains(HasSubstr("mine.toml")));

  ProbeRequest again;
  again.refit = request_.save;
  EXPECT_EQ(run(again, session_).probed.calibration.id, "mine");
}

TEST_F(ProbeTask, SavesNothingWhenStopped) {
  const TemporaryFolder folder("probe");
  request_.save = folder.file("mine.toml").string();
  session_.should_stop = [] { return true; };
  EXPECT_TRUE(run(request_, session_).interrupted);
  EXPECT_FALSE(std::filesystem::exists(request_.save));
  EXPECT_THAT(said_, Contains(HasSubstr("the same command takes it up")));
}

TEST_F(ProbeTask, LinksAloneUnlessPartsAreNamed) {
  request_.links = true;
  EXPECT_TRUE(request_.wants(ProbePart::links));
  EXPECT_FALSE(request_.wants(ProbePart::ops));
  request_.only = {ProbePart::ops};
  EXPECT_TRUE(request_.wants(ProbePart::links));
  EXPECT_TRUE(request_.wants(ProbePart::ops));
  EXPECT_FALSE(request_.wants(ProbePart::peaks));
}

TEST_F(ProbeTask, PublishedTablesMeasureNothing) {
  request_.from = {"ops.toml"};
  EXPECT_THROW((void)run(request_, session_), Error);
}

}  // namespace
}  // namespace rooflab::task
