// Cases are a shell script that stands for the program: it writes its words as the result, and does
// what the model's name asks for.

#include "study/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "../base/input_error.hpp"
#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "study/study_page.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view script = R"(#!/bin/sh
# task REQUEST RESULT [FOLDER]
name=$(sed -n 's/.*"command_line": "rooflab [a-z]* \([^" ]*\).*/\1/p' "$2")
out=$3
case $name in
  full) echo "rooflab: error: cannot write 'x': No space left on device" >&2; rm "$2"; exit 74 ;;
  own-74) exit 74 ;;
  fail) echo 'rooflab: warning: no' >&2; echo 'rooflab: error: it cannot be' >&2; exit 2 ;;
  die) kill -9 $$ ;;
  garbage) echo '{' > "$out"; exit 0 ;;
  slow*) sleep 0.02 ;;
  forever) sleep 30 ;;
esac
printf '{"words": "%s", "asked": ' "$*" > "$out"
cat "$2" >> "$out"
echo '}' >> "$out"
)";

class StudyRunTest : public testing::Test {
 protected:
  StudyRunTest() : folder_("study-test") {
    write_file_atomically(program(), script);
    fs::permissions(program(), fs::perms::owner_all);
  }

  [[nodiscard]] fs::path program() const { return folder_.file("rooflab"); }
  [[nodiscard]] fs::path results() const { return folder_.file("results"); }

  [[nodiscard]] StudyRunOptions options(Shard shard = {}) const {
    StudyRunOptions made;
    made.program = program();
    made.folder = results();
    made.origin.title = "a study";
    made.version = "1";
    made.shard = shard;
    return made;
  }

  static PlannedCase planned(const std::string& name) {
    PlannedCase made;
    made.id = name;
    made.words = {"predict", name};
    made.request = {{"models", {name}}};
    return made;
  }

  static std::vector<PlannedCase> many(int count) {
    std::vector<PlannedCase> plan;
    for (int i = 0; i < count; ++i) plan.push_back(planned("slow" + std::to_string(i)));
    return plan;
  }

  [[nodiscard]] std::map<std::string, std::string> outcomes(const fs::path& folder) const {
    std::map<std::string, std::string> found;
    if (!fs::exists(folder / "cases")) return found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases")) {
      const std::string name = entry.path().filename().string();
      // A process that is killed leaves what it had not finished next to its name.
      if (!name.ends_with(".json") || name.find(".part.") != std::string::npos) continue;
      found[name] = read_file(entry.path());
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(StudyRunTest, EveryCaseLeavesItsOutcome) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("b")};
  const StudyRun run = run_study(plan, options());
  EXPECT_THAT(run.ran, ElementsAre("a", "b"));
  EXPECT_EQ(run.found, 0U);
  EXPECT_FALSE(run.stopped);
  const std::optional<CaseOutcome> outcome = read_outcome(results(), plan[0]);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->command, "rooflab predict a");
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(outcome->reason, "");
  EXPECT_EQ(outcome->version, "1");
  const std::string part = (results() / "cases" / "a.part-").string();
  EXPECT_THAT(outcome->result["words"].dump(),
              testing::MatchesRegex("\"task " + part + "....../request.json " + part +
                                    "....../result.json\""));
  // A separate folder for each case, gone with it.
  const fs::directory_iterator entries(results() / "cases");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);
  const Json& asked = outcome->result["asked"];
  EXPECT_EQ(asked["kind"], "request");
  EXPECT_EQ(asked["command"], "predict");
  EXPECT_EQ(asked["command_line"], "rooflab predict a");
  EXPECT_EQ(asked["request"], Json({{"models", {"a"}}}));
  EXPECT_THAT(outcomes(results()), SizeIs(2));
}

// Also of cases that had ended; but another shard's may be running.
TEST_F(StudyRunTest, WhatAKilledStudyLeftIsNeitherReadNorKept) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("b")};
  const fs::path cases = results() / "cases";
  fs::create_directories(cases / "a.part-123456");
  fs::create_directories(cases / "b.part-123456");
  for (const char* const name :
       {"a.part-123456/result.json", "a.1.part.json", "a.json.x1y2.part",
        "a.json.01ab89ef.rooflab.part", "a.1.part.request.json", "b.json.x1y2.part"}) {
    write_file_atomically(cases / name, "{ half");
  }
  (void)run_study(plan, options({1, 2}));
  EXPECT_EQ(read_outcome(results(), plan[0])->reason, "");
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(cases)) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_THAT(names, ElementsAre("a.json", "b.json.x1y2.part", "b.part-123456"));
}

TEST_F(StudyRunTest, AFullDiskIsNoOutcome) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("full"), planned("b")};
  const Error error = thrown_error(ErrorKind::system, [&] { return run_study(plan, options()); });
  EXPECT_STREQ(error.what(), "full: cannot write 'x': No space left on device");
  EXPECT_THAT(outcomes(results()), SizeIs(1));
  EXPECT_TRUE(read_outcome(results(), plan[0]));
  EXPECT_EQ(run_study(std::vector{plan[0], plan[2]}, options()).found, 1U);
}

// The status of `rooflab task` that could not write is any other program's status too.
TEST_F(StudyRunTest, AProgramsOwnStatusIsAnOutcome) {
  const std::vector<PlannedCase> plan = {planned("own-74"), planned("b")};
  EXPECT_THAT(run_study(plan, options()).ran, ElementsAre("own-74", "b"));
  EXPECT_EQ(read_outcome(results(), plan[0])->exit_code, 74);
}

TEST_F(StudyRunTest, ADamagedOutcomeStopsItBeforeAnythingRuns) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("b")};
  (void)run_study(std::span(plan).first(1), options());
  const fs::path file = outcome_file(results(), plan[0]);
  write_file_atomically(file, "{ half");
  EXPECT_THAT(error_of([&] { return run_study(plan, options()); }), HasSubstr(file.string()));
  EXPECT_EQ(read_file(file), "{ half");
  EXPECT_FALSE(read_outcome(results(), plan[1]));
}

TEST_F(StudyRunTest, OnlyWhatIsMissingIsRun) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("b"), planned("c")};
  (void)run_study(std::span(plan).first(2), options());
  const auto before = outcomes(results());
  const StudyRun second = run_study(plan, options());
  EXPECT_THAT(second.ran, ElementsAre("c"));
  EXPECT_EQ(second.found, 2U);
  for (const auto& [name, text] : before) EXPECT_EQ(outcomes(results()).at(name), text);
}

TEST_F(StudyRunTest, ACaseThatHasChangedIsRunAgain) {
  std::vector<PlannedCase> plan = {planned("a")};
  (void)run_study(plan, options());
  plan[0].words = {"predict", "a", "--batch", "2"};
  EXPECT_THAT(run_study(plan, options()).ran, ElementsAre("a"));
  EXPECT_THAT(run_study(plan, options()).ran, IsEmpty());
}

TEST_F(StudyRunTest, WhatIsKeptIsTakenUpAndEvaluated) {
  std::vector<PlannedCase> plan = {planned("a"), planned("b")};
  plan[0].kept = "runs/a-1";
  plan[1].trained = {"runs/a-1"};
  (void)run_study(plan, options());
  const std::string folder = (results() / "runs" / "a-1").string();
  EXPECT_THAT(read_outcome(results(), plan[0])->result.dump(), HasSubstr("/result.json " + folder));
  EXPECT_THAT(read_outcome(results(), plan[1])->result["asked"]["request"]["models"].dump(),
              HasSubstr(folder));
  // Other models are another command.
  plan[0].kept = plan[1].trained[0] = "runs/a-2";
  EXPECT_THAT(run_study(plan, options()).ran, ElementsAre("b"));
}

TEST_F(StudyRunTest, AnEvaluationIsOfTheShardThatTrains) {
  std::vector<PlannedCase> plan = {planned("a"), planned("b"), planned("c"), planned("d")};
  plan[0].kept = "runs/a-1";
  plan[1].kept = "runs/b-1";
  plan[2].trained = {"runs/b-1"};
  plan[3].trained = {"runs/a-1", "runs/b-1"};
  EXPECT_THAT(run_study(plan, options({1, 2})).ran, ElementsAre("a"));
  EXPECT_THAT(run_study(plan, options({2, 2})).ran, ElementsAre("b", "c"));
  EXPECT_THAT(run_study(plan, options()).ran, ElementsAre("d"));
}

TEST_F(StudyRunTest, FailuresAreOutcomesAndTheOthersGoOn) {
  const std::vector<PlannedCase> plan = {planned("fail"), planned("die"), planned("garbage"),
                                         planned("a")};
  const StudyRun first = run_study(plan, options());
  EXPECT_THAT(first.ran, SizeIs(4));
  EXPECT_EQ(first.failed, 3U);
  EXPECT_EQ(read_outcome(results(), plan[0])->reason, "it cannot be");
  EXPECT_EQ(read_outcome(results(), plan[0])->exit_code, 2);
  EXPECT_EQ(read_outcome(results(), plan[1])->reason, "died of signal 9");
  EXPECT_THAT(read_outcome(results(), plan[2])->reason, HasSubstr("its result cannot be read"));
  EXPECT_EQ(read_outcome(results(), plan[3])->reason, "");
  // They are not run again unless that is asked for.
  const StudyRun second = run_study(plan, options());
  EXPECT_THAT(second.ran, IsEmpty());
  EXPECT_EQ(second.failed, 3U);
  StudyRunOptions again = options();
  again.again = true;
  EXPECT_THAT(run_study(plan, again).ran, ElementsAre("fail", "die", "garbage"));
}

TEST_F(StudyRunTest, WhatIsLeftOutIsNotRun) {
  std::vector<PlannedCase> plan = {planned("a"), planned("b")};
  plan[0].skipped = "no GPU is here";
  EXPECT_THAT(run_study(plan, options()).ran, ElementsAre("b"));
}

TEST_F(StudyRunTest, ATimeLimitEndsACase) {
  StudyRunOptions limited = options();
  limited.timeout_s = 0.3;
  const std::vector<PlannedCase> plan = {planned("forever"), planned("a")};
  EXPECT_THAT(run_study(plan, limited).ran, SizeIs(2));
  EXPECT_EQ(read_outcome(results(), plan[0])->reason, "the time limit ended it");
}

TEST_F(StudyRunTest, StoppedItLeavesNoHalfCase) {
  StudyRunOptions stopping = options();
  int asked = 0;
  stopping.should_stop = [&asked] { return ++asked > 3; };
  const std::vector<PlannedCase> plan = {planned("a"), planned("forever")};
  const StudyRun run = run_study(plan, stopping);
  EXPECT_TRUE(run.stopped);
  EXPECT_FALSE(read_outcome(results(), plan[1]));
  EXPECT_THAT(outcomes(results()), SizeIs(run.ran.size()));
}

TEST_F(StudyRunTest, ProgressCountsWhatIsThere) {
  const std::vector<PlannedCase> plan = {planned("a"), planned("b"), planned("c")};
  (void)run_study(std::span(plan).first(1), options());
  std::vector<std::string> seen;
  StudyRunOptions watched = options();
  watched.on_progress = [&](const StudyProgress& now) {
    const std::string line =
        now.running + " " + std::to_string(now.done) + "/" + std::to_string(now.all);
    // A case that runs is told again and again, with less time left.
    if (seen.empty() || seen.back() != line) seen.push_back(line);
    EXPECT_GE(now.done_share, static_cast<double>(now.done) / 3.0);
  };
  (void)run_study(plan, watched);
  EXPECT_THAT(seen, ElementsAre("b 1/3", "c 2/3", " 3/3"));
}

TEST_F(StudyRunTest, AFolderBelongsToOneStudyAndOneRun) {
  (void)run_study(std::vector{planned("a")}, options());
  StudyRunOptions other = options();
  other.origin.title = "another";
  EXPECT_EQ(error_of([&] { return run_study(std::vector{planned("a")}, other); }),
            "'" + results().string() + "' holds another study: a study");
  StudyRunOptions nested = options();
  std::string message;
  nested.on_progress = [&](const StudyProgress&) {
    message = error_of([&] { return run_study(std::vector{planned("b")}, options()); });
  };
  (void)run_study(std::vector{planned("b")}, nested);
  EXPECT_EQ(message, "'" + results().string() + "' is in use by another run");
}

// Killed at twenty random moments, run to its end: every case has one outcome, and what had one
// was never touched again.
TEST_F(StudyRunTest, KilledAnywhereItGoesOn) {
  const std::vector<PlannedCase> plan = many(50);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> moment_ms(5, 90);
  std::map<std::string, std::string> before;
  for (int kill = 0; kill < 20; ++kill) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        (void)run_study(plan, options());
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(moment_ms(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::map<std::string, std::string> now = outcomes(results());
    for (const auto& [name, text] : before) EXPECT_EQ(now.at(name), text) << name;
    before = now;
  }
  EXPECT_LT(before.size(), 50U);  // else the moments were too late to tell
  const StudyRun last = run_study(plan, options());
  EXPECT_EQ(last.found, before.size());
  EXPECT_EQ(last.ran.size() + last.found, 50U);
  for (const auto& [name, text] : before) EXPECT_EQ(outcomes(results()).at(name), text) << name;
  for (const PlannedCase& each : plan) {
    const std::optional<CaseOutcome> outcome = read_outcome(results(), each);
    ASSERT_TRUE(outcome) << each.id;
    EXPECT_EQ(outcome->reason, "") << each.id;
  }
}

// A case that another machine has run as asked for is neither run nor predicted.
TEST_F(StudyRunTest, WhatIsThereFromElsewhereIsNotRun) {
  const std::vector<PlannedCase> plan = many(3);
  StudyRunOptions some = options();
  some.elsewhere = {"slow1"};
  EXPECT_THAT(run_study(plan, some).ran, ElementsAre("slow0", "slow2"));
  EXPECT_FALSE(read_outcome(results(), plan[1]));
}

}  // namespace
}  // namespace rooflab::study
