#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/records.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using testing::Contains;

analyze::Comparand side(std::vector<double> steps_s, const std::string& source) {
  record::Record record = analyze::toy_record(std::move(steps_s));
  record.memory = record::MemoryUse{};
  record.memory->allocated_peak = Bytes(1000);
  return analyze::comparand_of(record, source);
}

TEST(CompareReport, OnePair) {
  const std::vector<analyze::Comparand> a = {side({2, 2, 2, 2, 2, 2}, "a.json")};
  std::vector<analyze::Comparand> b = {side({1, 1, 1, 1, 1, 1}, "b.json")};
  b.front().allocated_peak = Bytes(1500);
  const page::Document document = compare_report(analyze::compare_all(a, b));
  const std::string text = page::render(document, page::Format::table);
  EXPECT_THAT(text, testing::HasSubstr("2 s  1 s    2.000x  2.000 to 2.000  B is 2.00x faster"
                                       " (2.00 to 2.00), significant"));
  EXPECT_THAT(document.notes,
              Contains("A: a.json: relus on cuda:0 (Toy), batch 2, inference, fp32"));
  EXPECT_THAT(document.notes, Contains("allocated peak: A 1 kB, B 1.5 kB (+50.0 %)"));
  const Json& pair = document.json["pairs"][0];
  EXPECT_EQ(pair["speedup"], 2.0);
  EXPECT_EQ(pair["difference"], "faster");
  EXPECT_LT(pair["p_value"].get<double>(), 0.05);
  EXPECT_EQ(pair["a"]["time_s"], 2.0);
  EXPECT_EQ(pair["b"]["steps"], 6);
}

TEST(CompareReport, SaysWhichTimeOfAPredictionItTook) {
  const std::vector<analyze::Comparand> a = {side({2, 2, 2, 2, 2, 2}, "a.json")};
  analyze::Comparand predicted = side({}, "p.json");
  predicted.measured = false;
  predicted.time_of = analyze::PredictionModel::calibrated;
  predicted.time_s = 1.6;
  predicted.time_low_s = 1.25;
  predicted.time_high_s = 2.5;
  const page::Document document = compare_report(analyze::compare_all(a, std::vector{predicted}));
  EXPECT_THAT(document.notes, Contains("B: p.json: relus on cuda:0 (Toy), batch 2, inference, fp32"
                                       " (predicted, 1.25 s to 2.5 s)"));
  EXPECT_THAT(document.notes, Contains(testing::StartsWith("predicted: the expected time")));
  EXPECT_EQ(document.json["pairs"][0]["difference"], "as predicted");
  EXPECT_EQ(document.json["pairs"][0]["a"]["time_of"], "measured");
  EXPECT_EQ(document.json["pairs"][0]["b"]["time_of"], "calibrated");
  EXPECT_EQ(document.json["pairs"][0]["b"]["time_low_s"], 1.25);
  predicted.time_of = analyze::PredictionModel::limit;
  predicted.time_low_s = predicted.time_high_s = std::nullopt;
  const page::Document bound = compare_report(analyze::compare_all(a, std::vector{predicted}));
  EXPECT_THAT(bound.notes,
              Contains("B: p.json: relus on cuda:0 (Toy), batch 2, inference, fp32 (limit)"));
  EXPECT_EQ(bound.json["pairs"][0]["b"]["time_of"], "limit");
}

TEST(CompareReport, WhatFoundNoPartnerIsNamed) {
  std::vector<analyze::Comparand> a = {side({1}, "a"), side({1}, "a2")};
  a[1].model = "other";
  const std::vector<analyze::Comparand> b = {side({1}, "b")};
  const page::Document document = compare_report(analyze::compare_all(a, b));
  EXPECT_THAT(document.notes,
              Contains("only in A: other on cuda:0 (Toy), batch 2, inference, fp32"));
  EXPECT_EQ(document.json["only_first"].size(), 1U);
  EXPECT_EQ(document.json["only_second"].size(), 0U);
}

}  // namespace
}  // namespace rooflab::report
