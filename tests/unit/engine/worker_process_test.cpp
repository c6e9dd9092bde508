#include "engine/worker_process.hpp"

#include <gtest/gtest.h>

namespace rooflab::engine {
namespace {

using record::Status;

constexpr int sigkill = 128 + 9;

WorkerEnd killed(std::optional<bool> for_memory, const std::string& errors = "") {
  return end_of({.exit_status = sigkill, .killed_for_memory = for_memory, .errors = errors});
}

TEST(WorkerEnd, OfSigkillIsMemoryOnlyIfTheSystemKilledForMemory) {
  const WorkerEnd memory = killed(true);
  EXPECT_EQ(memory.status, Status::oom);
  EXPECT_EQ(memory.message, "the system killed the worker (SIGKILL): host memory ran out");

  const WorkerEnd somebody = killed(false, "step 3\n");
  EXPECT_EQ(somebody.status, Status::crashed);
  EXPECT_EQ(somebody.message,
            "the worker was killed (SIGKILL), not for memory; it said last: step 3");

  const WorkerEnd unknown = killed(std::nullopt);
  EXPECT_EQ(unknown.status, Status::oom);
  EXPECT_EQ(unknown.message,
            "the system killed the worker (SIGKILL): host memory ran out, most likely");
}

TEST(WorkerEnd, SaysWhatTheWorkerSaidLast) {
  EXPECT_EQ(end_of({.exit_status = 1, .errors = "warning\nthe reason\n\n"}).message, "the reason");
  EXPECT_EQ(end_of({.exit_status = 3}).message, "the worker ended with status 3 and said nothing");
  EXPECT_EQ(end_of({.exit_status = 128 + 11}).message, "the worker died of signal 11");
  EXPECT_EQ(end_of({.exit_status = 1, .timed_out = true}).message, "the time limit ended it");
  EXPECT_EQ(end_of({.exit_status = 1, .stopped = true}).status, Status::interrupted);
}

}  // namespace
}  // namespace rooflab::engine
