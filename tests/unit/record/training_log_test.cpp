#include "record/training_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::record {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Blanks and order as mllog's: its own example is
// :::MLLOG {"namespace": "", "time_ms": 1556733699974, "event_type": "POINT_IN_TIME", ...
TEST(TrainingLog, WritesMlperfLines) {
  const auto place = CodePlace::current();
  const std::string line =
      log_line(1556733699974, LogEvent::point_in_time, "eval_accuracy", 0.5,
               {{"epoch_num", 3}, {"list", {1, 2}}, {"none", Json::object()}}, place);
  EXPECT_EQ(line,
            format(":::MLLOG {{\"namespace\": \"\", \"time_ms\": 1556733699974, \"event_type\": "
                   "\"POINT_IN_TIME\", \"key\": \"eval_accuracy\", \"value\": 0.5, \"metadata\": "
                   "{{\"file\": \"training_log_test.cpp\", \"lineno\": {}, \"epoch_num\": 3, "
                   "\"list\": [1, 2], \"none\": {{}}}}}}",
                   place.line));
}

TEST(TrainingLog, GrowsByALineAnEvent) {
  const TemporaryFolder folder("log");
  const TrainingLog log(folder.file("train.log"));
  log.start("run_start");
  log.point("seed", 7);
  log.stop("run_stop", {{"status", "success"}});
  const std::vector<std::string> lines = split(read_file(folder.file("train.log")), '\n');
  ASSERT_EQ(lines.size(), 4U);  // the last one is empty
  EXPECT_THAT(lines[0], StartsWith(":::MLLOG {\"namespace\": \"\", \"time_ms\": 1"));
  EXPECT_THAT(lines[0], HasSubstr("\"INTERVAL_START\", \"key\": \"run_start\", \"value\": null"));
  EXPECT_THAT(lines[1], HasSubstr("\"key\": \"seed\", \"value\": 7"));
  EXPECT_THAT(lines[2], HasSubstr("\"INTERVAL_END\", \"key\": \"run_stop\""));
  EXPECT_THAT(lines[2], HasSubstr("\"status\": \"success\"}}"));
}

TEST(TrainingLog, SaysWhereItCannotWrite) {
  const TemporaryFolder folder("log");
  try {
    const TrainingLog log(folder.path() / "none" / "train.log");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_THAT(error.full_message(), HasSubstr("none/train.log': No such file"));
  }
}

TEST(TrainingLog, GoesOnBehindTheLastWholeLine) {
  const TemporaryFolder folder("log");
  write_file_atomically(folder.file("train.log"), ":::MLLOG {}\n:::MLLOG {\"nam");
  TrainingLog(folder.file("train.log")).start("run_start");
  const std::vector<std::string> lines = split(read_file(folder.file("train.log")), '\n');
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], ":::MLLOG {}");
  EXPECT_THAT(lines[1], StartsWith(":::MLLOG {\"namespace\""));
}

}  // namespace
}  // namespace rooflab::record
