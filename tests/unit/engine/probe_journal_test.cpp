#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/worker_probe.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-journal-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "results.jsonl";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(std::string_view text) const { std::ofstream(file_) << text; }

  [[nodiscard]] Error error_of_opening() const {
    try {
      const ProbeJournal journal(file_);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::usage, "no error was thrown");
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(Journal, KeepsALineForEachResult) {
  {
    ProbeJournal journal(file_);
    EXPECT_TRUE(journal.lines().empty());
    journal.append({{"event_s", 0.5}});
    // Written at once: a reader of the open file sees the line.
    EXPECT_EQ(read_file(file_), "{\"event_s\":0.5}\n");
    journal.append({{"note", "two\nlines"}});
  }
  EXPECT_EQ(read_file(file_), "{\"event_s\":0.5}\n{\"note\":\"two\\nlines\"}\n");
  const ProbeJournal journal(file_);
  ASSERT_EQ(journal.lines().size(), 2U);
  EXPECT_EQ(journal.lines()[0].at("event_s"), 0.5);
  EXPECT_EQ(journal.lines()[1].at("note"), "two\nlines");
}

// Even a rest that is valid JSON may have been cut: 12 of 123.
TEST_F(Journal, DropsALastLineThatWasCutOff) {
  for (const char* const rest : {"{\"event_s\": 1", "{\"event_s\": 1}", "{", "12"}) {
    write(std::string("{\"note\": \"a\"}\n") + rest);
    {
      ProbeJournal journal(file_);
      ASSERT_EQ(journal.lines().size(), 1U) << rest;
      journal.append({{"note", "b"}});
    }
    EXPECT_EQ(read_file(file_), "{\"note\": \"a\"}\n{\"note\":\"b\"}\n") << rest;
  }
}

TEST_F(Journal, OfOneCutLineIsEmpty) {
  write("{\"request\": \"op_pro");
  const ProbeJournal journal(file_);
  EXPECT_TRUE(journal.lines().empty());
  EXPECT_EQ(read_file(file_), "");
}

TEST_F(Journal, AWrongLineInTheMiddleIsAnError) {
  write("{\"note\": \"a\"}\n\n{\"note\" x}\n{\"note\": \"c\"}\n");
  const Error error = error_of_opening();
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_EQ(error.full_message(), file_.string() + ":3:9: this is not valid JSON");
  EXPECT_EQ(error.hint(), "remove the file to measure everything anew");
  write("{\"note\": \"a\"}\n[1]\n");
  EXPECT_EQ(error_of_opening().full_message(),
            file_.string() + ":2: a line of results must be a JSON object");
}

TEST_F(Journal, ThatCannotBeWrittenIsAnError) {
  file_ = folder_ / "none" / "results.jsonl";
  const Error error = error_of_opening();
  EXPECT_EQ(error.kind(), ErrorKind::system);
  EXPECT_EQ(std::string(error.what()),
            "cannot write '" + file_.string() + "': No such file or directory");
}

}  // namespace
}  // namespace rooflab::engine
