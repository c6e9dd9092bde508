#include <gtest/gtest.h>

#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

enum class Pace { slow, fast };
constexpr auto names_in_order(For<Pace>) { return names_through<Pace::fast>("slow", "fast"); }

struct Rest {
  Bytes peak;
  std::optional<double> power_w;
};

struct Rank {
  int rank = 0;
  std::string host;
  Pace pace = Pace::slow;
  std::optional<double> step_s;
  std::vector<double> steps_s;
  std::map<std::string, std::string> libraries;
  std::vector<Rest> phases;
  std::optional<Rest> memory;
  Rest rest;
  int threads = 7;

  [[nodiscard]] std::size_t count() const { return steps_s.size(); }
};

double busy_of(const Rank& rank) { return rank.steps_s.empty() ? 0.0 : 0.5; }

std::span<const Field> fields_of(For<Rest>) {
  static constexpr Field fields[] = {
      field<&Rest::peak>("peak_bytes"),
      field<&Rest::power_w>("power_w").sparse(),
  };
  return fields;
}

std::span<const Field> fields_of(For<Rank>) {
  static constexpr Field fields[] = {
      field<&Rank::rank>("rank").at_least(0),
      field<&Rank::host>("host"),
      field<&Rank::pace>("schedule"),
      field<&Rank::step_s>("step_s"),
      field<&Rank::steps_s>("steps_s"),
      field<&Rank::libraries>("libraries"),
      field<&Rank::phases>("phases"),
      field<&Rank::memory>("memory"),
      part<&Rank::rest>(),
      field<&Rank::threads>("threads").or_default(),
      field<&Rank::count>("count"),
      field<&busy_of>("busy_share"),
  };
  return fields;
}

struct Pair {
  Rank first;
  std::optional<Rank> second;
};

std::span<const Field> fields_of(For<Pair>) {
  static constexpr Field fields[] = {field<&Pair::first>("source"), field<&Pair::second>("run")};
  return fields;
}

FileKind file_kind_of(For<Rank>) { return {"rank", "rank", "write one first"}; }

Rank full_rank() {
  return {.rank = 3,
          .host = "here",
          .pace = Pace::fast,
          .step_s = 0.25,
          .steps_s = {0.5, 0.25},
          .libraries = {{"cuda", "13.0"}},
          .phases = {{Bytes(5), 250.0}, {Bytes(7), std::nullopt}},
          .memory = std::nullopt,
          .rest = {Bytes(11), 100.0},
          .threads = 2};
}

std::string reading_error(const std::string& text) {
  try {
    (void)from_json<Rank>(parse_json(text, "a.json"), "a.json");
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

std::string error_after(const std::function<void(Json& json)>& change) {
  Json json = to_json(full_rank());
  change(json);
  return reading_error(json.dump());
}

TEST(Fields, WriteAnObjectInTheirOrder) {
  EXPECT_EQ(to_json(full_rank()).dump(),
            R"({"rank":3,"host":"here","schedule":"fast","step_s":0.25,"steps_s":[0.5,0.25],)"
            R"("libraries":{"cuda":"13.0"},"phases":[{"peak_bytes":5,"power_w":250.0},)"
            R"({"peak_bytes":7}],"memory":null,"peak_bytes":11,"power_w":100.0,"threads":2,)"
            R"("count":2,"busy_share":0.5})");
}

TEST(Fields, AreFoundByTheirNameWithinMembers) {
  const std::span<const Field> of_rank = fields_of(For<Rank>{});
  const Rank rank = full_rank();
  // The rank itself has one, through a part, and its memory another.
  ASSERT_EQ(paths_to(of_rank, "peak_bytes").size(), 1U);
  EXPECT_EQ(value_at(&rank, paths_to(of_rank, "peak_bytes").front()), 11);
  ASSERT_EQ(paths_to(of_rank, "memory.peak_bytes").size(), 1U);
  EXPECT_TRUE(value_at(&rank, paths_to(of_rank, "memory.peak_bytes").front()).is_null());
  EXPECT_TRUE(paths_to(of_rank, "verdict").empty());
  EXPECT_TRUE(paths_to(of_rank, "memory.host").empty());

  const std::span<const Field> of_pair = fields_of(For<Pair>{});
  Pair pair = {.first = full_rank(), .second = std::nullopt};
  EXPECT_EQ(paths_to(of_pair, "host").size(), 2U);
  const FieldPath second = paths_to(of_pair, "run.host").front();
  EXPECT_TRUE(value_at(&pair, second).is_null());
  pair.second = full_rank();
  pair.second->host = "there";
  EXPECT_EQ(value_at(&pair, second), "there");
  EXPECT_EQ(value_at(&pair, paths_to(of_pair, "source.host").front()), "here");
}

TEST(Fields, ReadWhatTheyWrote) {
  const Json json = to_json(full_rank());
  EXPECT_EQ(to_json(from_json<Rank>(json, "a.json")), json);
}

TEST(Fields, KeepTheDefaultOfWhatAFileNeedNotHave) {
  Json json = to_json(full_rank());
  json.erase("threads");
  json.erase("step_s");
  json.erase("memory");
  const Rank rank = from_json<Rank>(json, "a.json");
  EXPECT_EQ(rank.threads, 7);
  EXPECT_FALSE(rank.step_s);
}

TEST(Fields, NameThePlaceOfAFault) {
  EXPECT_EQ(error_after([](Json& json) { json.erase("host"); }), "a.json: 'host' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["rank"] = "x"; }),
            "a.json: 'rank' must be a whole number");
  EXPECT_EQ(error_after([](Json& json) { json["rank"] = -1; }), "a.json: 'rank' must be 0 or more");
  EXPECT_EQ(error_after([](Json& json) { json["rank"] = 3'000'000'000; }),
            "a.json: 'rank' is out of range");
  EXPECT_EQ(error_after([](Json& json) { json["schedule"] = "late"; }),
            "a.json: 'schedule' must be one of slow, fast");
  EXPECT_EQ(error_after([](Json& json) { json["steps_s"][1] = "x"; }),
            "a.json: 'steps_s[1]' must be a number");
  EXPECT_EQ(error_after([](Json& json) { json["phases"][1].erase("peak_bytes"); }),
            "a.json: 'phases[1].peak_bytes' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["libraries"]["cuda"] = 13; }),
            "a.json: 'libraries.cuda' must be a text");
}

struct Expected {
  double time_s = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
  double coverage = 0.0;
  double margin = 0.0;
  std::vector<double> steps_s;
  std::int64_t batch = 0;
};

/// It follows from others and is not read.
double rate(const Expected& row) { return static_cast<double>(row.batch) / row.time_s; }

std::span<const Field> fields_of(For<Expected>) {
  static constexpr Field fields[] = {
      field<&Expected::time_s>("predicted_s").or_default(),
      field<&Expected::low_s>("predicted_low_s").or_default(),
      field<&Expected::high_s>("predicted_high_s").or_default(),
      field<&Expected::coverage>("coverage_share").or_default(),
      field<&Expected::margin>("margin_share").or_default(),
      field<&Expected::steps_s>("steps_s").or_default(),
      field<&Expected::batch>("batch").or_default(),
      field<&rate>("samples_per_s"),
  };
  return fields;
}

std::string complaint_about(std::string_view text) {
  const Json json = parse_json(text, "a.json");
  try {
    Expected row;
    read_fields(&row, fields_of(For<Expected>()), JsonFields(json, "a.json"));
    return "";
  } catch (const Error& error) {
    return error.full_message();
  }
}

// Times are not below zero, a part is not above the whole, and an interval holds its value; a
// margin may be negative.
TEST(Fields, HoldWhatIsReadAgainstItsRange) {
  EXPECT_EQ(complaint_about(R"({"predicted_s":2,"predicted_low_s":1,"predicted_high_s":3,)"
                            R"("coverage_share":1,"margin_share":-0.5,"steps_s":[0,1]})"),
            "");
  EXPECT_EQ(complaint_about(R"({"predicted_s":-5})"), "a.json: 'predicted_s' must be 0 or more");
  EXPECT_EQ(complaint_about(R"({"steps_s":[1,-2]})"), "a.json: 'steps_s[1]' must be 0 or more");
  EXPECT_EQ(complaint_about(R"({"batch":-1})"), "a.json: 'batch' must be 0 or more");
  EXPECT_EQ(complaint_about(R"({"samples_per_s":-3})"),
            "a.json: 'samples_per_s' must be 0 or more");
  EXPECT_EQ(complaint_about(R"({"margin_share":4.5})"), "a.json: 'margin_share' must be 1 or less");
  EXPECT_EQ(complaint_about(R"({"coverage_share":1.5})"),
            "a.json: 'coverage_share' must be 1 or less");
  EXPECT_EQ(complaint_about(R"({"predicted_s":2,"predicted_low_s":3,"predicted_high_s":4})"),
            "a.json: 'predicted_s' must be 3 or more, the lower end of its interval");
  EXPECT_EQ(complaint_about(R"({"predicted_low_s":3,"predicted_high_s":2})"),
            "a.json: 'predicted_high_s' must be 3 or more, the lower end of its interval");
}

TEST(Schema, ReadsItsFilesAndRefusesOthers) {
  const Json json = file_json(full_rank());
  EXPECT_EQ(json["schema_version"], schema_version);
  EXPECT_EQ(json["kind"], "rank");
  EXPECT_EQ(file_json(from_file_json<Rank>(json, "a.json")), json);

  const auto error = [](const Json& changed) {
    try {
      (void)from_file_json<Rank>(changed, "a.json");
    } catch (const Error& fault) {
      return fault.full_message() + " / " + fault.hint();
    }
    return std::string("no error");
  };
  Json other = json;
  other["kind"] = "walk";
  EXPECT_EQ(error(other), "a.json: this is not a rank of Rooflab / write one first");
  Json newer = json;
  newer["schema_version"] = schema_version + 1;
  EXPECT_EQ(error(newer),
            "a.json: this rank has schema version 4, this Rooflab reads 3 / use the Rooflab"
            " that wrote it, or a newer one");
  Json older = json;
  older["schema_version"] = 1;
  EXPECT_EQ(error(older),
            "a.json: this rank has schema version 1, this Rooflab reads 3 / use the Rooflab"
            " that wrote it");
}

TEST(Schema, FindsKeysThatTheVocabularyLacks) {
  const Json json = parse_json(R"({"cases":[{"limitTime":1},{"limitTime":2}],"limit_s":1,)"
                               R"("libraries":{"anything":"1.0"}})",
                               "a.json");
  EXPECT_EQ(unknown_keys(json), std::vector<std::string>{"cases.limitTime"});
}

}  // namespace
}  // namespace rooflab
