// The workers here are shell scripts that append lines to the results file, which is $3.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "../base/environment_variable.hpp"
#include "../base/note_matchers.hpp"
#include "../record/equal_fields.hpp"
#include "base/format.hpp"
#include "describe/fields.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "elapsed.hpp"
#include "engine/worker_build.hpp"
#include "engine/worker_probe.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

record::Environment environment() {
  record::Environment environment;
  environment.date = "2026-11-21T14:00:00Z";
  environment.cpu = "Some CPU";
  environment.device.kind = "cuda";
  environment.device.name = "NVIDIA H200";
  environment.libraries = {{"libtorch", "2.11.0"}};
  environment.tf32_matmul = false;
  return environment;
}

Json result_line(std::size_t item, double forward_s) {
  ProbeResult result;
  result.item = item;
  result.forward_s = forward_s;
  return {{"item_result", to_json(result)}};
}

Json figure_line(const std::string& name, double value) {
  return {{"figure", to_json(device::MeasuredFigure{name, "B/s", value, value, value, 1, ""})}};
}

Json addition_line(std::int64_t elements, double kernel_s) {
  return {{"vector_addition",
           to_json(device::VectorAddition{"1x1", "device", elements, kernel_s, {}, {}, 9, true})}};
}

class Probe : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-probe-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    results_ = folder_ / "results.jsonl";
    temporary_ = folder_ / "temporary";
    fs::create_directory(temporary_);
    variable_.emplace("TMPDIR", temporary_.string());
  }
  void TearDown() override {
    variable_.reset();
    EXPECT_TRUE(fs::is_empty(temporary_));  // the request is gone
    fs::remove_all(folder_);
  }

  [[nodiscard]] RunOptions script(const std::string& text) const {
    const fs::path path = folder_ / "worker";
    std::ofstream(path) << "#!/bin/sh\necho '" << greeting("script") << "'\n" << text << '\n';
    fs::permissions(path, fs::perms::owner_all);
    RunOptions options;
    options.worker = path;
    return options;
  }

  /// Shell text that appends lines.
  static std::string say(const std::vector<Json>& lines) {
    std::string text;
    for (const Json& line : lines) text += format("echo '{}' >> \"$3\"\n", line.dump());
    return text;
  }

  template <class Call>
  static Error error_of(Call call) {
    try {
      (void)call();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::usage, "no error was thrown");
  }

  static OpProbeRequest op_request() {
    OpProbeRequest request;
    request.items = {{ProbeKind::op, "graph a"}, {ProbeKind::op, "graph b"}};
    return request;
  }

  fs::path folder_;
  fs::path results_;
  fs::path temporary_;
  std::optional<EnvironmentVariable> variable_;
};

TEST_F(Probe, GivesWhatTheWorkerMeasuredOfOps) {
  const RunOptions options = script("[ \"$1\" = probe ] || exit 9\ncp \"$2\" " +
                                    (folder_ / "request.json").string() + "\n" +
                                    say({{{"environment", rooflab::to_json(environment())}},
                                         {{"event_s", 1.5e-6}},
                                         result_line(1, 0.25),
                                         result_line(0, 0.5),
                                         {{"context_bytes", 567148544}},
                                         {{"blas_workspace_forward_bytes", 8519680}},
                                         {{"blas_workspace_training_bytes", 0}}}));
  const OpProbeOutcome outcome = run_op_probe(op_request(), results_, options);
  EXPECT_EQ(outcome.environment, environment());
  ASSERT_EQ(outcome.results.size(), 2U);
  EXPECT_EQ(outcome.results[0].item, 0U);
  EXPECT_EQ(outcome.results[0].forward_s, 0.5);
  EXPECT_EQ(outcome.results[1].forward_s, 0.25);
  EXPECT_EQ(outcome.event_s, 1.5e-6);
  EXPECT_EQ(outcome.context_bytes, 567148544.0);
  EXPECT_EQ(outcome.blas_workspace_forward_bytes, 8519680.0);
  EXPECT_EQ(outcome.blas_workspace_training_bytes, 0.0);
  const fs::path request = folder_ / "request.json";
  const OpProbeRequest got = load_file<OpProbeRequest>(request);
  ASSERT_EQ(got.items.size(), 2U);
  EXPECT_EQ(got.items[1].graph, "graph b");
  EXPECT_EQ(got.budget_s, 180.0);
}

TEST_F(Probe, GivesWhatTheWorkerMeasuredOfADevice) {
  const RunOptions options = script("[ \"$1\" = run ] || exit 9\n" +
                                    say({{{"environment", {{"driver", "580.1"}}}},
                                         figure_line("dram.read", 1e9),
                                         {{"part_done", "bandwidth"}},
                                         addition_line(5, 0.5),
                                         {{"note", encode_json(sentence("no cuBLASLt"))}}}));
  const DeviceProbeOutcome outcome = run_device_probe({}, results_, options);
  EXPECT_THAT(outcome.environment, ElementsAre(Pair("driver", "580.1")));
  ASSERT_EQ(outcome.figures.size(), 1U);
  EXPECT_EQ(outcome.figures[0].name, "dram.read");
  ASSERT_EQ(outcome.vector_additions.size(), 1U);
  EXPECT_EQ(outcome.vector_additions[0].kernel_s, 0.5);
  EXPECT_THAT(outcome.notes, ElementsAre(sentence("no cuBLASLt")));
}

// A part that was begun twice has its later figures, each once.
TEST_F(Probe, TheLaterMeasurementCounts) {
  const DeviceProbeOutcome outcome =
      run_device_probe({}, results_,
                       script(say({{{"environment", {{"driver", "1"}}}},
                                   figure_line("a", 1),
                                   figure_line("b", 2),
                                   addition_line(5, 1),
                                   addition_line(6, 2),
                                   {{"note", encode_json(sentence("n"))}},
                                   {{"environment", {{"driver", "2"}}}},
                                   figure_line("a", 3),
                                   addition_line(5, 3),
                                   {{"note", encode_json(sentence("n"))}}})));
  ASSERT_EQ(outcome.figures.size(), 2U);
  EXPECT_EQ(outcome.figures[0].value, 3.0);
  ASSERT_EQ(outcome.vector_additions.size(), 2U);
  EXPECT_EQ(outcome.vector_additions[0].kernel_s, 3.0);
  EXPECT_EQ(outcome.vector_additions[1].kernel_s, 2.0);
  EXPECT_THAT(outcome.notes, ElementsAre(sentence("n")));
  EXPECT_THAT(outcome.environment, ElementsAre(Pair("driver", "2")));
}

TEST_F(Probe, OfAWorkerThatDiedHoldsWhatItHadFinished) {
  const std::string before =
      say({{{"environment", rooflab::to_json(environment())}}, result_line(0, 0.5)});
  const OpProbeOutcome ops = run_op_probe(
      op_request(), results_,
      script(before + "printf '{\"item_result\": {\"item\": 1, \"forw' >> \"$3\"\nkill -ABRT $$"));
  ASSERT_EQ(ops.results.size(), 1U);
  EXPECT_EQ(ops.results[0].forward_s, 0.5);

  const DeviceProbeOutcome device = run_device_probe(
      {}, folder_ / "device.jsonl",
      script(say({figure_line("a", 1)}) + "echo 'illegal address' >&2\nkill -ABRT $$"));
  EXPECT_EQ(device.figures.size(), 1U);
  EXPECT_EQ(device.message, "the worker died of signal 6; it said last: illegal address");
}

// The second worker finds the first one's lines, less the one that was cut, and adds to them.
TEST_F(Probe, IsTakenUpWhereItStood) {
  const std::string head = say({{{"environment", rooflab::to_json(environment())}}});
  (void)run_op_probe(op_request(), results_,
                     script(head + say({result_line(0, 0.5)}) +
                            "printf '{\"result\": {\"item\"' >> \"$3\"\nexit 1"));
  OpProbeRequest request = op_request();
  request.budget_s = 600.0;  // more time does not change the request
  const OpProbeOutcome outcome = run_op_probe(
      request, results_,
      script("[ $(wc -l < \"$3\") = 3 ] && [ \"$(tail -c 1 \"$3\")\" = '' ] || exit 9\n" + head +
             say({result_line(1, 0.25)})));
  ASSERT_EQ(outcome.results.size(), 2U);
  EXPECT_EQ(outcome.results[0].forward_s, 0.5);
  EXPECT_EQ(outcome.results[1].forward_s, 0.25);
  EXPECT_THAT(read_file(results_), StartsWith("{\"answered_request\":\"op_probe "));
}

TEST_F(Probe, AnotherRequestIsRefused) {
  const RunOptions options = script(say({figure_line("a", 1)}));
  (void)run_device_probe({.quick = true}, results_, options);
  const std::string before = read_file(results_);
  const auto refused = [&](const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.full_message(), results_.string() +
                                        ":1: these are the results of a probe with another "
                                        "request");
    EXPECT_EQ(error.hint(), "remove the file, or name another one for this probe");
  };
  refused(error_of([&] { return run_device_probe({.quick = false}, results_, options); }));
  refused(error_of(
      [&] { return run_device_probe({.quick = true, .parts = {"l2"}}, results_, options); }));
  refused(error_of([&] { return run_op_probe(op_request(), results_, options); }));
  EXPECT_EQ(read_file(results_), before);
  (void)run_device_probe({.quick = true}, results_, options);
}

TEST_F(Probe, AnyOtherFileIsRefused) {
  std::ofstream(results_) << "{\"notes\": \"mine\"}\n";
  const Error error = error_of([&] { return run_device_probe({}, results_, script("exit 0")); });
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_STREQ(error.what(), "these are not results of a probe");
}

TEST_F(Probe, ThatMeasuredNothingIsAnError) {
  const auto ops = [&](const std::string& text) {
    fs::remove(results_);
    const Error error =
        error_of([&] { return run_op_probe(op_request(), results_, script(text)); });
    EXPECT_EQ(error.kind(), ErrorKind::capability);
    EXPECT_THAT(error.hint(), HasSubstr("worker describe"));
    return std::string(error.what());
  };
  EXPECT_EQ(ops("echo 'libcuda.so.1: cannot open' >&2; exit 1"),
            format("the worker {} measured nothing: libcuda.so.1: cannot open",
                   (folder_ / "worker").string()));
  EXPECT_THAT(ops("exit 0"), HasSubstr("ended with status 0 and said nothing"));
  EXPECT_THAT(ops(say({{{"environment", rooflab::to_json(environment())}}}) + "kill -SEGV $$"),
              HasSubstr("died of signal 11"));
  const Error error = error_of([&] {
    return run_device_probe({}, folder_ / "device.jsonl", script("echo 'no device' >&2; exit 3"));
  });
  EXPECT_EQ(error.kind(), ErrorKind::capability);
  EXPECT_THAT(error.what(), HasSubstr("measured nothing: no device"));
}

TEST_F(Probe, WithoutABudgetMeasuresNothingAndIsNoError) {
  const OpProbeOutcome outcome = run_op_probe(
      op_request(), results_, script(say({{{"environment", rooflab::to_json(environment())}}})));
  EXPECT_TRUE(outcome.results.empty());
  EXPECT_EQ(outcome.environment.cpu, "Some CPU");
}

TEST_F(Probe, IsStoppedWhenTheUserWantsIt) {
  const auto start = steady_clock::now();
  RunOptions options = script(say({figure_line("a", 1)}) + "exec sleep 20");
  options.should_stop = [&] { return seconds_since(start) > 0.5; };
  const DeviceProbeOutcome outcome = run_device_probe({}, results_, options);
  EXPECT_LT(seconds_since(start), 5.0);
  EXPECT_EQ(outcome.figures.size(), 1U);
  EXPECT_EQ(outcome.message, "stopped by the user");
}

TEST_F(Probe, StoppedBeforeTheFirstResultIsNoError) {
  RunOptions options = script("exec sleep 20");
  options.should_stop = [] { return true; };
  EXPECT_TRUE(run_op_probe(op_request(), results_, options).results.empty());
}

TEST_F(Probe, IsEndedWhenTimeIsUp) {
  RunOptions options = script("exec sleep 20");
  options.timeout_s = 0.3;
  const Error error = error_of([&] { return run_op_probe(op_request(), results_, options); });
  EXPECT_EQ(error.kind(), ErrorKind::capability);
  EXPECT_THAT(error.what(), HasSubstr("measured nothing: the time limit ended it"));
}

TEST_F(Probe, SaysHowFarItIs) {
  std::vector<std::string> stages;
  RunOptions options =
      script("echo '{\"activity\": \"l2\", \"done_share\": 0.5, \"left_s\": 3}'\n" +
             say({figure_line("a", 1)}));
  options.on_progress = [&](const Progress& progress) {
    stages.push_back(progress.stage);
    EXPECT_EQ(progress.left_s, 3.0);
  };
  (void)run_device_probe({}, results_, options);
  EXPECT_THAT(stages, ElementsAre("l2"));
}

// The line is the one of the file: the request is line 1.
TEST_F(Probe, AWrongLineIsNamed) {
  const Error error = error_of([&] {
    return run_device_probe({}, results_,
                            script(say({figure_line("a", 1), {{"figure", {{"name", "b"}}}}})));
  });
  EXPECT_EQ(error.full_message(), results_.string() + ":3: 'figure.unit' is missing");
}

TEST_F(Probe, AWorkerThatIsNotThereIsAnError) {
  RunOptions options;
  options.worker = folder_ / "none";
  const Error error = error_of([&] { return run_device_probe({}, results_, options); });
  EXPECT_EQ(error.kind(), ErrorKind::capability);
  EXPECT_THAT(error.what(), HasSubstr("cannot start"));
}

}  // namespace
}  // namespace rooflab::engine
