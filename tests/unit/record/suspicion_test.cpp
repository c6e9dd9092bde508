#include "record/suspicion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "record/record_notes.hpp"
#include "toy_record.hpp"

namespace rooflab::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Record quiet() { return toy_record({1.0, 1.0, 1.01, 1.0, 1.0, 0.99}); }

TEST(Suspicion, AQuietRecordHasNone) {
  Record record = quiet();
  record.environment.clocks_before = ClockState{1.98e9, 2.6e9, 40.0, {{"gpu_idle"}}};
  record.environment.clocks_after = ClockState{1.90e9, 2.6e9, 60.0, {{"application_clocks"}}};
  record.timing->issue_s = 0.89;
  EXPECT_THAT(suspicions_of(record), IsEmpty());
  EXPECT_FALSE(is_host_bound(record));
}

// Six steps, one twice as long: the 95th percentile lies at rank 4.75 of 0 to 5, at 1.75.
TEST(Suspicion, TimesThatVary) {
  EXPECT_THAT(suspicions_of(toy_record({1, 1, 1, 1, 1, 2})),
              ElementsAre(Note{says.steps_spread, {0.75}}));
}

TEST(Suspicion, OneOutlierAmongManyIsNone) {
  std::vector<double> steps(41, 1.0);
  steps[7] = 50.0;
  EXPECT_THAT(suspicions_of(toy_record(steps)), IsEmpty());
}

TEST(Suspicion, FewStepsAndUnsettledOnes) {
  Record record = toy_record({1, 1, 1});
  record.timing->stable = false;
  record.timing->warmup_steps = 7;
  EXPECT_THAT(suspicions_of(record),
              ElementsAre(Note{says.times_unsettled, {7}}, Note{says.few_steps, {3}}));
}

TEST(Suspicion, Throttling) {
  Record record = quiet();
  record.environment.clocks_after = ClockState{{}, {}, {}, {{"gpu_idle", "sw_power_cap"}}};
  EXPECT_THAT(suspicions_of(record),
              ElementsAre(Note{says.clocks_held_down, {NoteValue(), NoteValue(), "sw_power_cap"}}));
  record.samples = {{"cuda:0", "Toy", {{}, {}, {}}}};
  record.samples[0].samples[0].throttle_reasons = {"hw_thermal"};
  record.samples[0].samples[1].throttle_reasons = std::vector<std::string>{};
  EXPECT_THAT(suspicions_of(record),
              ElementsAre(Note{says.clocks_held_down, {1, 2, "hw_thermal"}},
                          Note{says.clocks_held_down, {NoteValue(), NoteValue(), "sw_power_cap"}}));
}

TEST(Suspicion, ClocksThatMoved) {
  Record record = quiet();
  record.environment.clocks_before = ClockState{2.0e9, {}, {}, {}};
  record.environment.clocks_after = ClockState{1.8e9, {}, {}, {}};
  EXPECT_THAT(suspicions_of(record),
              ElementsAre(Note{says.clock_moved, {2.0e9, 1.8e9, 1.8e9 / 2.0e9 - 1.0}}));
}

TEST(Suspicion, HostBound) {
  Record record = quiet();
  record.timing->issue_s = 0.95;
  EXPECT_TRUE(is_host_bound(record));
  EXPECT_THAT(suspicions_of(record), ElementsAre(Note{says.host_bound, {0.95, 1.0}}));
  // The CPU issues and works in one.
  record.environment.device.kind = "cpu";
  EXPECT_FALSE(is_host_bound(record));
}

TEST(Suspicion, BrokenData) {
  Record record = quiet();
  record.broken_data = {"a/b.jpg: no JPEG", "a/c.jpg: empty"};
  EXPECT_THAT(suspicions_of(record),
              ElementsAre(Note{says.data_unreadable, {2, "a/b.jpg: no JPEG"}}));
}

TEST(Suspicion, OfARecordWithoutTimes) { EXPECT_THAT(suspicions_of(toy_record()), IsEmpty()); }

}  // namespace
}  // namespace rooflab::record
