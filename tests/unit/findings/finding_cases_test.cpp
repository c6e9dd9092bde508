// Every kind of finding on results that are made by hand: it is there with the worth that follows
// by hand, and absent from the same result without its reason.

#include "finding_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "describe/fields.hpp"

namespace rooflab::findings {
namespace {

std::vector<FindingCase> all_cases() {
  std::vector<FindingCase> all;
  for (const auto cases : {trace_cases, prediction_cases, measured_cases, other_cases}) {
    for (const FindingCase& each : cases()) all.push_back(each);
  }
  return all;
}

TEST(FindingCases, HaveEveryKind) {
  std::set<FindingKind> known;
  for (const FindingCase& each : all_cases()) known.insert(each.kind);
  for (const FindingKind kind : values_of<FindingKind>) {
    EXPECT_TRUE(known.contains(kind)) << name_of(kind) << " has no case";
  }
}

TEST(FindingCases, AreFoundWithTheirWorthAndOnlyThere) {
  for (const FindingCase& each : all_cases()) {
    SCOPED_TRACE(format("{} of a {}", name_of(each.kind), each.of));
    const std::vector<Finding> with = each.make(true);
    const auto found = std::ranges::find(with, each.kind, &Finding::kind);
    ASSERT_NE(found, with.end());
    EXPECT_EQ(found->worth_s.has_value(), each.worth_s.has_value());
    if (found->worth_s && each.worth_s) {
      EXPECT_NEAR(*found->worth_s, *each.worth_s, 1e-6 * *each.worth_s);
    }
    EXPECT_FALSE(found->sentence().empty());
    EXPECT_EQ(found->sentence().find_first_of("{}[]<>|"), std::string::npos) << found->sentence();
    const std::vector<Finding> without = each.make(false);
    EXPECT_EQ(std::ranges::find(without, each.kind, &Finding::kind), without.end());
  }
}

TEST(Findings, AreSortedByWorth) {
  for (const FindingCase& each : all_cases()) {
    const std::vector<Finding> found = each.make(true);
    EXPECT_TRUE(std::ranges::is_sorted(found, [](const Finding& a, const Finding& b) {
      return a.worth_s.value_or(-1.0) > b.worth_s.value_or(-1.0);
    })) << name_of(each.kind);
  }
}

// Places with a unit name the unit of their key, so that JSON and the sentence say the same.
TEST(FindingTable, PlacesHaveTheUnitsOfTheirKeys) {
  for (const FindingRow& row : finding_table) {
    std::size_t place = 0;
    std::string_view rest = row.sentence.text;
    for (std::size_t at = rest.find('{'); at != std::string_view::npos; at = rest.find('{')) {
      rest.remove_prefix(at + 1);
      const std::string_view inside = rest.substr(0, rest.find_first_of(":}"));
      const Figure* const figure = row.keys[place++];
      ASSERT_NE(figure, nullptr) << row.sentence.code;
      EXPECT_EQ(unit_of_key(inside), figure->unit()) << figure->key;
    }
    EXPECT_EQ(row.keys[place], nullptr) << row.sentence.code;
    EXPECT_FALSE(row.meaning.empty());
  }
}

TEST(Finding, JsonHasNumbersInBaseUnits) {
  const Finding finding{FindingKind::blocking_copies, {0.25, 4096.0}, "run", 0.5, 2.0, "try()"};
  const Json json = to_json(finding);
  EXPECT_EQ(json["kind"], "blocking_copies");
  EXPECT_EQ(json["worth_s"], 0.5);
  EXPECT_EQ(json["worth_share"], 0.25);
  EXPECT_EQ(json["numbers"]["copy_share"], 0.25);
  EXPECT_EQ(json["numbers"]["copied_bytes"], 4096.0);
  EXPECT_EQ(json["attempt"], "try()");
  EXPECT_EQ(json["text"],
            "copies from pageable memory take 25.0 % of the step, while no kernel runs: 4.096 kB a"
            " step");
}

}  // namespace
}  // namespace rooflab::findings
