#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "describe/schema.hpp"
#include "equal_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::record {
namespace {

StageRun example() {
  StageRun run;
  run.identity.model = "net";
  run.identity.device = "cuda:0,cuda:1";
  run.identity.batch = 8;
  run.cuts = {3};
  run.micro_batches = 2;
  run.environment.device = {"cuda", 0, "GPU", "GPU-1", Bytes(8), "9.0", 132, "580"};
  run.steps_s = {0.1, 0.2};
  StageResult first;
  first.first = "a";
  first.last = "b";
  first.device = run.environment.device;
  first.time_s = 0.05;
  first.allocated_peak = Bytes(1000);
  StageResult second = first;
  second.transfer_s = 0.01;
  second.received = Bytes(4096);
  second.allocated_peak.reset();
  run.stages = {first, second};
  run.warnings = {sentence("a warning")};
  return run;
}

TEST(StageRunJson, ReadsWhatItWrote) {
  const StageRun run = example();
  EXPECT_EQ(from_file_json<StageRun>(file_json(run), "x.json"), run);
}

TEST(StageRunJson, ErrorsNameTheKey) {
  for (const char* const key :
       {"kind", "identity", "cuts", "micro_batches", "status", "steps_s", "stages"}) {
    Json json = file_json(example());
    json[key] = "wrong";
    try {
      (void)from_file_json<StageRun>(json, "x.json");
      FAIL() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      if (std::string_view(key) == "kind") continue;
      EXPECT_THAT(error.full_message(), testing::HasSubstr(key));
    }
  }
}

}  // namespace
}  // namespace rooflab::record
