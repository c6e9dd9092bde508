#include "rooflab/task/monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::task {
namespace {

MonitorRequest request_for(std::vector<std::string> program) {
  MonitorRequest request;
  request.program = std::move(program);
  request.device = {"none"};
  return request;
}

TEST(Monitor, RecordsACommandAndItsExitCode) {
  const TemporaryFolder folder("monitor");
  MonitorRequest request = request_for({"sh", "-c", "exit 7"});
  request.keep = {folder.file("run.json")};
  Session session;
  const MonitorResult result = run(request, session);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.record.status, record::Status::failed);
  EXPECT_EQ(result.record.identity.model, "sh");
  ASSERT_EQ(result.record.samples.size(), 1U);
  EXPECT_EQ(load_file<record::Record>(request.keep.front()).message,
            "The command ended with exit code 7.");

  MonitorRequest again;
  again.from = request.keep.front().string();
  EXPECT_EQ(run(again, session).record.message, result.record.message);
}

TEST(Monitor, EndsTheCommandWhenTheSessionStops) {
  Session session;
  session.should_stop = [] { return true; };
  const MonitorResult result = run(request_for({"sleep", "60"}), session);
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.record.status, record::Status::interrupted);
}

TEST(Monitor, SaysWhyACommandCannotBeStarted) {
  Session session;
  try {
    (void)run(request_for({"no-such-program"}), session);
    FAIL();
  } catch (const NotStarted& error) {
    EXPECT_EQ(error.exit_code(), 127);
    EXPECT_STREQ(error.what(), "cannot start 'no-such-program': No such file or directory");
  }
}

TEST(Monitor, TakesNoTimeForACommand) {
  MonitorRequest request = request_for({"true"});
  request.duration = 1.0;
  Session session;
  EXPECT_THROW((void)run(request, session), Error);
}

}  // namespace
}  // namespace rooflab::task
