// Files of version 1 as its commands wrote them, with lists cut short: tests/data/schema_1.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/schema.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

/// What version 2 has not, or has in another form: docs/formats/README.md says in which.
const std::set<std::string> gone = {
    "advice.flags",            // a text, `change`
    "flags.flag",              //
    "memory.allocated_ratio",  // `predicted_memory.peak_ratio`
    "cases.prediction_notes",  // among the `notes` of the file
    "trace_steps.end_ns",      // the start and `total_s` say it
    "steps.mean_total_ns",     // `mean_step.total_s`
    "steps.mean_roles_ns",     // `mean_step.roles_s`
    "kernels.fp16_is_moves",   // `fp16_move_flop`
};

/// `memory.allocated_ratio` of `cases.memory.allocated_ratio`.
std::string last_two(const std::string& path) {
  const std::size_t last = path.rfind('.');
  const std::size_t before = last == std::string::npos ? last : path.rfind('.', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

TEST(Schema1, EveryKeyHasANameOfTodayOrIsGone) {
  std::set<std::string> met;
  int files = 0;
  for (const fs::directory_entry& each :
       fs::directory_iterator(fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/schema_1")) {
    // Steps of scaling stood in their row itself: scaling_of_schema_1 moves them.
    if (each.path().stem() == "scaling" || each.path().stem() == "scaled_cases") continue;
    ++files;
    Json json = read_json_file(each.path());
    // A case of a study holds the result of a command, which is renewed by itself.
    if (json.value("kind", "") == Json("study_case")) json = json.at("result");
    for (const std::string& key : unknown_keys(with_new_keys(json))) {
      const std::string name = last_two(key);
      EXPECT_TRUE(gone.contains(name)) << each.path().filename() << ": " << key;
      met.insert(name);
    }
  }
  EXPECT_GE(files, 24);
  for (const std::string& key : gone) EXPECT_TRUE(met.contains(key)) << key << " is not gone";
}

// What a factor belongs to, of another kind: the reader of the new key says what it must be.
TEST(Schema1, AValueThatIsNoNumberHasNoFactor) {
  const auto renewed_wait = [](const Json& wait) {
    const Json rank = {{"wait_ns", wait}};
    return with_new_keys({{"schema_version", 1}, {"job", {{"ranks", Json::array({rank})}}}})
        .at("job")
        .at("ranks")
        .at(0)
        .at("wait_s");
  };
  EXPECT_EQ(renewed_wait(2e9), Json(2.0));
  EXPECT_EQ(renewed_wait("x"), Json("x"));
  EXPECT_EQ(renewed_wait(true), Json(true));
}

}  // namespace
}  // namespace rooflab::study
