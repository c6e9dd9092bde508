// The worker here has no framework; tests/worker/fake_worker.cpp says what it does at which word.

#include "rooflab/engine/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "../base/environment_variable.hpp"
#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "elapsed.hpp"
#include "engine/worker_build.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::Record;
using record::Status;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

Case small_case() {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {2, 16});
  x = b.linear(x, "fc", 8);
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  Case request;
  request.graph = std::move(b).finish({x});
  request.identity.model = "net";
  request.identity.device = "cuda:0";
  request.identity.batch = 2;
  request.identity.command = "rooflab measure net --device cuda";
  return request;
}

/// An empty folder for temporary files; every test checks that it is empty again.
class Worker : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-engine-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    temporary_ = folder_ / "temporary";
    fs::create_directory(temporary_);
    variable_.emplace("TMPDIR", temporary_.string());
  }
  void TearDown() override {
    variable_.reset();
    EXPECT_TRUE(fs::is_empty(temporary_));
    fs::remove_all(folder_);
  }

  /// Runs the small case while the fake behaves like `rule`.
  static Record run_as(const std::string& rule, RunOptions options = {}) {
    const EnvironmentVariable fake("ROOFLAB_FAKE", rule + "@net");
    options.worker = ROOFLAB_FAKE_WORKER;
    return run_case(small_case(), options);
  }

  /// A worker that is a shell script.
  [[nodiscard]] fs::path script(const std::string& text) const {
    fs::path path = folder_ / "rooflab-script";
    std::ofstream(path) << "#!/bin/sh\n" << text << '\n';
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  fs::path folder_;
  fs::path temporary_;
  std::optional<EnvironmentVariable> variable_;
};

// 10 ms a sample: 20 ms for the batch of two, 2 % up and down.
TEST_F(Worker, GivesTheRecordOfACase) {
  const Record record = run_as("nothing");
  EXPECT_EQ(record.status, Status::ok);
  EXPECT_EQ(record.message, "");
  EXPECT_EQ(record.identity.model, "net");
  EXPECT_EQ(record.identity.graph, graph::to_text(small_case().graph));
  ASSERT_TRUE(record.timing.has_value());
  ASSERT_EQ(record.timing->steps_s.size(), 10U);
  EXPECT_DOUBLE_EQ(record.timing->steps_s[1], 0.0196);
  ASSERT_TRUE(record.memory.has_value());
  EXPECT_EQ(record.memory->saved, Bytes(100'000'000));
  EXPECT_EQ(record.energy_j, 2.5);
  EXPECT_FALSE(record.layers.has_value());
}

TEST_F(Worker, GetsTheSettings) {
  Case request = small_case();
  request.settings.iterations = 3;
  request.settings.per_layer = true;
  const Record record = run_case(request, {.worker = ROOFLAB_FAKE_WORKER});
  ASSERT_TRUE(record.timing.has_value());
  EXPECT_EQ(record.timing->steps_s.size(), 3U);
  ASSERT_TRUE(record.layers.has_value());
  ASSERT_EQ(record.layers->nodes.size(), 2U);
  EXPECT_EQ(record.layers->nodes[0].node, "fc");
}

TEST_F(Worker, SaysWhatAStatusSays) {
  const Record oom = run_as("oom");
  EXPECT_EQ(oom.status, Status::oom);
  EXPECT_EQ(oom.message, "out of memory: 300 MB held, 128 MB asked");
  EXPECT_FALSE(oom.timing.has_value());
  const Record unsupported = run_as("unsupported");
  EXPECT_EQ(unsupported.status, Status::unsupported);
  EXPECT_EQ(unsupported.message, "fp16 convolution does not exist on this CPU");
}

TEST_F(Worker, ThatDiesOfASignalCrashed) {
  const Record record = run_as("crash");
  EXPECT_EQ(record.status, Status::crashed);
  EXPECT_EQ(record.message, "the worker died of signal 6");  // SIGABRT
}

// The case is known even though the worker left nothing.
TEST_F(Worker, ThatLeavesNoRecordHasTheCaseInIt) {
  const Record record = run_as("crash");
  EXPECT_EQ(record.identity.model, "net");
  EXPECT_EQ(record.identity.batch.value(), 2);
  EXPECT_EQ(record.identity.graph, graph::to_text(small_case().graph));
  EXPECT_EQ(record.environment.command, "rooflab measure net --device cuda");
  EXPECT_EQ(record.environment.device.kind, "cuda");
  EXPECT_FALSE(record.timing.has_value());
  EXPECT_FALSE(record.memory.has_value());
}

// worker_process_test.cpp has when memory is the cause.
TEST_F(Worker, ThatIsKilledIsNoSuccess) {
  const Record record = run_as("kill");
  EXPECT_NE(record.status, Status::ok);
  EXPECT_THAT(record.message, HasSubstr("SIGKILL"));
}

TEST_F(Worker, ThatFailsGivesItsReason) {
  const Record record = run_as("fail");
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.message, "the reason");
}

TEST_F(Worker, TheLastLineOfManyIsTheReason) {
  const Record record = run_case(
      small_case(), {.worker = script("yes warning | head -n 20000 >&2\n"
                                      "printf 'line before\\n  the reason \\n\\n' >&2\nexit 1")});
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.message, "the reason");
}

TEST_F(Worker, ThatFailsSilentlyHasItsStatusNamed) {
  const Record record = run_case(small_case(), {.worker = script("exit 5")});
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.message, "the worker ended with status 5 and said nothing");
}

TEST_F(Worker, ThatWritesGarbageFailed) {
  const Record record = run_as("garbage");
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.message,
            "the worker wrote a record that cannot be read: this is not valid JSON");
  EXPECT_EQ(record.identity.model, "net");
}

// Every way to be no record is an outcome: a number out of range once was none.
TEST_F(Worker, ThatWritesAnyOtherGarbageFailed) {
  for (const char* const content : {"", "[]", "{\"kind\": \"record\"}", "{\"kind\": 1e999}"}) {
    const Record record =
        run_case(small_case(), {.worker = script(format("echo '{}'; printf '%s' '{}' > \"$3\"",
                                                        greeting("script"), content))});
    EXPECT_EQ(record.status, Status::failed) << content;
    EXPECT_THAT(record.message, StartsWith("the worker wrote a record that cannot be read: "))
        << content;
  }
}

TEST_F(Worker, ThatSaysOkWithoutAStepFailed) {
  record::Record record;
  record.identity = small_case().identity;
  const Record read = run_case(
      small_case(), {.worker = script(format("echo '{}'; echo '{}' > \"$3\"", greeting("script"),
                                             file_json(record).dump()))});
  EXPECT_EQ(read.status, Status::failed);
  EXPECT_EQ(read.message, "the worker says that all went well, but not how long each step took");
}

TEST_F(Worker, IsStoppedWhenTheUserWantsIt) {
  const auto start = steady_clock::now();
  RunOptions options;
  options.should_stop = [&] { return seconds_since(start) > 0.3; };
  const Record record = run_as("slow", options);
  EXPECT_EQ(record.status, Status::interrupted);
  EXPECT_EQ(record.message, "stopped by the user");
  EXPECT_LT(seconds_since(start), 3.0);
}

TEST_F(Worker, IsEndedWhenTimeIsUp) {
  const auto start = steady_clock::now();
  const Record record = run_as("slow", {.timeout_s = 0.5});
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.message, "the time limit ended it");
  EXPECT_GE(seconds_since(start), 0.5);
  EXPECT_LT(seconds_since(start), 5.0);
}

TEST_F(Worker, ThatIsNotThereIsAnError) {
  try {
    (void)run_case(small_case(), {.worker = folder_ / "none"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capability);
    EXPECT_THAT(error.what(), HasSubstr("cannot start " + (folder_ / "none").string()));
  }
}

TEST_F(Worker, SaysHowFarItIs) {
  std::vector<Progress> said;
  RunOptions options;
  options.on_progress = [&](const Progress& progress) { said.push_back(progress); };
  (void)run_as("nothing", options);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0].stage, "set-up");
  EXPECT_EQ(said[0].done, 0.0);
  EXPECT_EQ(said[1].stage, "measure");
  EXPECT_EQ(said[1].done, 0.5);
  EXPECT_EQ(said[1].left_s, 1.0);
}

// A library may print anything; a line may come in two pieces.
TEST_F(Worker, OnlyLinesOfProgressAreTakenForIt) {
  std::vector<std::string> stages;
  const fs::path worker = script(
      "echo hello; echo '{broken'; echo '{\"activity\": 5}'\n"
      "printf '{\"activity\": \"one\", \"done_share\"'; sleep 0.3; echo ': 0, \"left_s\": 0}'\n"
      "echo '{\"activity\": \"two\", \"done_share\": 1e999, \"left_s\": 0}'\n"
      "echo '{\"activity\": \"three\", \"done_share\": 1, \"left_s\": 0}'; exit 1");
  (void)run_case(small_case(), {.worker = worker, .on_progress = [&](const Progress& progress) {
                                  stages.push_back(progress.stage);
                                }});
  EXPECT_THAT(stages, ElementsAre("one", "three"));
}

TEST_F(Worker, DescribesItself) {
  const Capabilities result = describe(ROOFLAB_FAKE_WORKER);
  EXPECT_EQ(result.build.worker, "rooflab-torch");
  EXPECT_EQ(result.path, fs::path(ROOFLAB_FAKE_WORKER));
  EXPECT_THAT(result.libraries, ElementsAre(Pair("libtorch", "0.0-fake")));
  ASSERT_EQ(result.devices.size(), 2U);
  EXPECT_EQ(result.devices[0].kind, "cpu");
  EXPECT_EQ(result.devices[1].name, "NVIDIA H200");
  EXPECT_EQ(result.devices[1].multiprocessors, 132);
  EXPECT_THAT(result.missing, IsEmpty());
}

TEST_F(Worker, ThatDoesNotAnswerIsAnError) {
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      (void)describe(script(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::capability);
      EXPECT_THAT(error.hint(), HasSubstr("rooflab-script describe"));
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of("echo 'libcuda.so.1: cannot open' >&2; exit 127"),
              HasSubstr("does not answer: status 127; libcuda.so.1: cannot open"));
  EXPECT_THAT(error_of("echo hello"), HasSubstr("this is not valid JSON"));
  EXPECT_THAT(error_of("echo '{}'"), HasSubstr("'worker' is missing"));
  std::string other = greeting("w");
  other.back() = ',';
  EXPECT_THAT(error_of("echo '" + other + "\"libraries\": {}, \"devices\": 5}'"),
              HasSubstr("'devices' must be a list"));
}

TEST_F(Worker, OfAnotherBuildIsRefused) {
  const EnvironmentVariable version("ROOFLAB_FAKE_VERSION", "0.0.9");
  const auto error_of = [](const auto& function) -> std::string {
    try {
      (void)function();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::capability);
      EXPECT_THAT(error.hint(), HasSubstr("ROOFLAB_WORKERS"));
      return error.what();
    }
    return "no error";
  };
  const WorkerBuild own = own_build("rooflab-torch");
  const std::string expected = format(
      "the worker {} is of Rooflab 0.0.9 (protocol {}), this program is Rooflab {} (protocol {})",
      ROOFLAB_FAKE_WORKER, own.protocol, *own.rooflab, own.protocol);
  EXPECT_EQ(error_of([] { return describe(ROOFLAB_FAKE_WORKER); }), expected);
  EXPECT_EQ(error_of([] { return run_as("nothing"); }), expected);
}

// A worker of others need not know the version of the program, only the protocol.
TEST_F(Worker, OfOthersIsHeldToTheProtocolAlone) {
  const auto error_of = [&](std::string_view build) -> std::string {
    try {
      const Capabilities here = describe(script(format("echo '{{{}, \"devices\": []}}'", build)));
      return format("{} {}", here.build.worker, here.build.version.value_or("-"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::capability);
      return error.what();
    }
  };
  EXPECT_EQ(error_of(R"("worker": "w", "version": "7", "protocol_version": 1)"), "w 7");
  EXPECT_EQ(error_of(R"("worker": "w", "protocol_version": 1)"), "w -");
  EXPECT_THAT(error_of(R"("worker": "w", "protocol_version": 2)"),
              HasSubstr("(w) follows protocol 2, this program protocol 1"));
  EXPECT_THAT(error_of(R"("worker": "w")"),
              HasSubstr("'protocol_version' is missing"));
  EXPECT_THAT(error_of(R"("worker": "rooflab-torch", "protocol_version": 1)"),
              HasSubstr("calls itself rooflab-torch and is not a part of Rooflab"));
  EXPECT_THAT(error_of(R"("worker": "", "protocol_version": 1)"), HasSubstr("has no name"));
}

TEST_F(Worker, ThatIsAnotherProgramIsRefused) {
  const auto error_of = [](const auto& function) -> std::string {
    try {
      (void)function();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const fs::path worker = script("exec yes");
  EXPECT_THAT(error_of([&] { return describe(worker); }),
              HasSubstr("does not answer: more than 1048576 bytes"));
  const auto silent = HasSubstr(" is not a worker of this program: it does not say its version");
  EXPECT_THAT(error_of([&] { return run_case(small_case(), {.worker = worker}); }), silent);
  // Whatever it left: it may be anything.
  const fs::path quiet = script("echo '{}' > \"$3\"");
  EXPECT_THAT(error_of([&] { return run_case(small_case(), {.worker = quiet}); }), silent);
}

TEST_F(Worker, ThatDescribesItselfTooLateIsAnError) {
  const fs::path worker = script("exec sleep 600");
  try {
    (void)describe(worker, std::chrono::milliseconds(100));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              format("the worker {} does not answer: nothing within 0.1 s", worker.string()));
  }
}

TEST_F(Worker, IsFoundInTheFolderOfTheVariable) {
  const fs::path worker = script("exit 0");
  const EnvironmentVariable variable("ROOFLAB_WORKERS", folder_.string());
  EXPECT_EQ(find_worker("rooflab-script"), worker);
  EXPECT_EQ(find_worker("rooflab-none"), std::nullopt);
  fs::permissions(worker, fs::perms::owner_read);
  const Error error = thrown_error(ErrorKind::input, [] { return find_worker("rooflab-script"); });
  EXPECT_EQ(error.what(), format("cannot run '{}': Permission denied", worker.string()));
  EXPECT_EQ(error.hint(), "it needs permission to be run: chmod +x");
  EXPECT_EQ(find_worker("temporary"), std::nullopt);  // a folder
}

TEST_F(Worker, IsFoundInAnInstallation) {
  const fs::path workers = folder_ / "libexec/rooflab";
  fs::create_directories(workers);
  const fs::path worker = workers / "rooflab-script";
  fs::copy_file(script("exit 0"), worker);
  const EnvironmentVariable variable("ROOFLAB_WORKERS", "/nowhere");
  EXPECT_EQ(find_worker("rooflab-script", folder_), worker);
  EXPECT_EQ(find_worker("rooflab-script"), std::nullopt);
  EXPECT_EQ(searched_folders(folder_), (folder_ / "bin").string() + ", " + workers.string());
  EXPECT_EQ(searched_folders(), "/nowhere");
}

TEST_F(Worker, OfOthersIsChosenByNameOrPath) {
  const fs::path worker = script("exit 0");
  const EnvironmentVariable path("PATH", folder_.string());
  const EnvironmentVariable workers("ROOFLAB_WORKERS", "/nowhere");
  EXPECT_EQ(chosen_worker("rooflab-script"), worker);
  EXPECT_EQ(chosen_worker(worker.string()), worker);
  const Error by_name = thrown_error(ErrorKind::input, [] { return chosen_worker("none"); });
  EXPECT_STREQ(by_name.what(), "no worker 'none' was found");
  EXPECT_EQ(by_name.hint(), "it is not in /nowhere, nor in the folders of PATH");
  (void)thrown_error(ErrorKind::input, [] { return chosen_worker("./none"); });
}

}  // namespace
}  // namespace rooflab::engine
