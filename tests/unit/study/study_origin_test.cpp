#include "study/study_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "../base/json_place.hpp"
#include "describe/schema.hpp"
#include "rooflab/system/file.hpp"
#include "study/study_folder.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

Machine with_two_gpus() {
  return {.torch_worker = true,
          .probe_worker = false,
          .counters = true,
          .gpus = {{"cuda:0", "NVIDIA H200", "h200-sxm"}, {"cuda:1", "One that nobody knows", ""}}};
}

StudyOrigin complete() { return {"a study", with_two_gpus(), "rooflab study run 'a b.toml'"}; }

StudyOrigin read_back(const StudyOrigin& origin) {
  return from_file_json<StudyOrigin>(Json::parse(file_json(origin).dump()), "study.json");
}

TEST(StudyOrigin, IsReadAsItWasWritten) {
  const StudyOrigin read = read_back(complete());
  EXPECT_EQ(read.title, "a study");
  EXPECT_EQ(read.command, "rooflab study run 'a b.toml'");
  ASSERT_TRUE(read.machine);
  EXPECT_TRUE(read.machine->torch_worker);
  EXPECT_FALSE(read.machine->probe_worker);
  EXPECT_TRUE(read.machine->counters);
  ASSERT_EQ(read.machine->gpus.size(), 2U);
  EXPECT_EQ(read.machine->gpus[0].name, "cuda:0");
  EXPECT_EQ(read.machine->gpus[0].model, "NVIDIA H200");
  EXPECT_EQ(read.machine->gpus[0].catalog_id, "h200-sxm");
  EXPECT_EQ(read, complete());
}

TEST(StudyOrigin, AMachineThatCanDoNothingIsNotAnUnknownOne) {
  EXPECT_EQ(read_back({"a study", Machine(), ""}).machine, Machine());
  EXPECT_EQ(read_back({"a study", {}, ""}).machine, std::nullopt);
}

TEST(StudyOrigin, WrongTypesAreNamed) {
  struct Fault {
    const char* place;  // JSON pointer
    Json value;
    const char* message;
  };
  const Fault faults[] = {
      {"/title", 1, "'title' must be a text"},
      {"/command_line", 1, "'command_line' must be a text"},
      {"/machine", "h200", "'machine' must be an object"},
      {"/machine/torch_worker", "yes", "'machine.torch_worker' must be true or false"},
      {"/machine/probe_worker", nullptr, "'machine.probe_worker' is missing"},
      {"/machine/can_count", 1, "'machine.can_count' must be true or false"},
      {"/machine/gpus", "cuda:0", "'machine.gpus' must be a list"},
      {"/machine/gpus/1", "cuda:1", "'machine.gpus[1]' must be an object"},
      {"/machine/gpus/0/name", 0, "'machine.gpus[0].name' must be a text"},
      {"/machine/gpus/0/catalog_id", nullptr, "'machine.gpus[0].catalog_id' is missing"},
      {"/schema_version", 3, "this folder of a study has schema version 3, this Rooflab reads 2"},
      {"/kind", "study_case", "this is not a folder of a study of Rooflab"},
  };
  for (const Fault& fault : faults) {
    Json json = file_json(complete());
    json_place(json, fault.place) = fault.value;
    EXPECT_EQ(error_of([&] { return from_file_json<StudyOrigin>(json, "study.json"); }),
              std::string("study.json: ") + fault.message);
  }
}

class StudyFolderTest : public testing::Test {
 protected:
  StudyFolderTest() : temporary_("study-origin-test") {}

  [[nodiscard]] fs::path folder() const { return temporary_.file("results"); }

  void take(const StudyOrigin& origin) const { (void)StudyFolder(folder(), origin, Shard()); }

  TemporaryFolder temporary_;
};

TEST_F(StudyFolderTest, SaysOfWhichMachineItIs) {
  take(complete());
  EXPECT_EQ(read_origin(folder()), complete());
  EXPECT_EQ(read_origin(folder(), "a study"), complete());
  EXPECT_EQ(error_of([&] { return read_origin(folder(), "another"); }),
            "'" + folder().string() + "' holds another study: a study");
}

TEST_F(StudyFolderTest, IsThatOfItsLastRun) {
  take(complete());
  StudyOrigin other = complete();
  other.machine->gpus.pop_back();  // the one of its model
  take(other);
  EXPECT_EQ(read_origin(folder()), other);
  other.command = "rooflab study run b.toml";
  take(other);
  EXPECT_EQ(read_origin(folder()), other);
  take({"a study", {}, ""});  // which knows nothing better
  EXPECT_EQ(read_origin(folder()), other);
}

TEST_F(StudyFolderTest, IsCompletedWhereItIsOlder) {
  take({"a study", {}, ""});
  take(complete());
  EXPECT_EQ(read_origin(folder()), complete());
}

// Of an array's jobs in one folder only the first writes.
TEST_F(StudyFolderTest, WhatItSaysAlreadyIsNotWrittenAgain) {
  take(complete());
  const fs::path linked = temporary_.file("linked");
  fs::create_hard_link(origin_file(folder()), linked);
  take(complete());
  EXPECT_TRUE(fs::equivalent(origin_file(folder()), linked));
  StudyOrigin other = complete();
  other.command = "rooflab study run b.toml";
  take(other);
  EXPECT_FALSE(fs::equivalent(origin_file(folder()), linked));
}

TEST_F(StudyFolderTest, ADamagedOneIsNotTaken) {
  take(complete());
  write_file_atomically(
      origin_file(folder()),
      R"({"kind": "study_folder", "schema_version": 2, "title": "a study", "machine": []})");
  const std::string message = origin_file(folder()).string() + ": 'machine' must be an object";
  EXPECT_EQ(error_of([&] { return read_origin(folder()); }), message);
  EXPECT_EQ(error_of([&] {
              take(complete());
              return 0;
            }),
            message);
}

TEST_F(StudyFolderTest, ARunThatIsRefusedLeavesItAsItIs) {
  const StudyFolder running(folder(), complete(), Shard());
  StudyOrigin other = complete();
  other.command = "rooflab study run b.toml";
  EXPECT_EQ(error_of([&] {
              take(other);
              return 0;
            }),
            "'" + folder().string() + "' is in use by another run");
  EXPECT_EQ(read_origin(folder()), complete());
}

TEST_F(StudyFolderTest, WithoutAStudyIsNone) {
  EXPECT_EQ(error_of([&] { return read_origin(folder()); }),
            "'" + folder().string() + "' holds no study");
  fs::create_directories(folder());
  EXPECT_EQ(error_of([&] { return read_origin(folder()); }),
            "'" + folder().string() + "' holds no study");
}

}  // namespace
}  // namespace rooflab::study
