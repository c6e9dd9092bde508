// What scale, predict --gpus, partition and fit wrote, cut down by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "describe/schema.hpp"
#include "result_figures.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::study {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// rooflab scale resnet18 --device cuda:0,cuda:1 --batch 8 -o x.json, by the worker of the tests;
// utilisation and occupancy added
constexpr std::string_view scaled = R"({"schema_version": 3, "command": "scale", "series": [
  {"model": "resnet18", "scaling": "weak", "batch": 8, "rows": [
    {"device_count": 1, "global_batch": 8, "status": "ok",
     "run": {"median_s": 0.0016, "samples_per_s": 5000.0, "speedup": 1.0, "efficiency_share": 1.0},
     "prediction": null, "ranks": []},
    {"device_count": 2, "global_batch": 16, "status": "ok", "message": "",
     "run": {"median_s": 0.002, "samples_per_s": 8000.0, "speedup": 1.6, "efficiency_share": 0.8,
       "communication_share": 0.94, "hidden_share": 0.74},
     "prediction": {"predicted_s": 0.0058, "predicted_low_s": 0.005, "predicted_high_s": 0.0066,
       "speedup": 1.9},
     "ranks": [{"rank": 0, "core_utilization_share": 0.98, "sm_efficiency_share": 0.5,
                "occupancy_share": null},
               {"rank": 1, "core_utilization_share": 0.96, "sm_efficiency_share": 0.25,
                "occupancy_share": 0.5}],
     "warnings": ["rank 1 was slow."]}]},
  {"model": "vgg16", "rows": []}]})";

TEST(DevicesFigures, OfScalingAreThoseOfTheMostDevices) {
  EXPECT_THAT(
      values_in(Mode::scale, scaled),
      UnorderedElementsAre(value("time", 0.002), value("predicted_time", 0.0058),
                           value("samples_per_s", 8000), value("gpus", 2), value("speed_up", 1.6),
                           value("efficiency", 0.8), value("communication", 0.94),
                           value("hidden", 0.74), value("utilization", 0.97),
                           // occupancy: not of all ranks
                           value("sm_efficiency", 0.375)));
  EXPECT_EQ(interval_in(Mode::scale, scaled, "predicted_time"), "0.005 to 0.0066");
}

TEST(DevicesFigures, OfARunThatFellApartAreNone) {
  Json json = parse_json(scaled, "x.json");
  json["series"][0]["rows"][1]["status"] = "crashed";
  EXPECT_THAT(values_in(Mode::scale, json.dump()), IsEmpty());
}

TEST(DevicesFigures, OfAPredictionForSeveralDevicesAreThoseOfTheMost) {
  // rooflab predict resnet18 --device h200 --phase training --batch 64 --gpus 1,2 -o x.json
  constexpr std::string_view result = R"({"schema_version": 3, "command": "predict",
    "series": [{"model": "resnet18", "basis": {"one_device_step_s": 0.02}, "rows": [
      {"device_count": 1, "global_batch": 64, "status": null, "run": null,
       "prediction": {"predicted_s": 0.02, "speedup": 1.0, "communication_share": 0.0}},
      {"device_count": 2, "batch_per_device": 64, "global_batch": 128, "status": null,
       "run": null, "prediction": {"predicted_s": 0.025, "predicted_low_s": 0.02,
       "predicted_high_s": 0.032,
       "samples_per_s": 5120.0, "speedup": 1.6, "efficiency_share": 0.8, "communication_s": 0.005,
       "communication_share": 0.2, "hidden_share": 0.8, "allocated_peak_bytes": 3845587744,
       "all_allocated_peak_bytes": 7691175488, "all_device_used_bytes": 9816427008,
       "memory": {"parameter_bytes": 46758048, "context_bytes": 500000000,
                  "total_bytes": 4908213504}}, "ranks": []}]}]})";
  EXPECT_THAT(values_in(Mode::predict, result),
              UnorderedElementsAre(
                  value("time", 0.025), value("samples_per_s", 5120), value("gpus", 2),
                  value("speed_up", 1.6), value("efficiency", 0.8), value("communication", 0.2),
                  value("hidden", 0.8), value("memory", 3845587744),
                  value("memory_of_all", 7691175488), value("total_memory_of_all", 9816427008),
                  value("parameter_memory", 46758048), value("total_memory", 4908213504)));
  EXPECT_EQ(interval_in(Mode::predict, result, "time"), "0.02 to 0.032");
  EXPECT_EQ(interval_in(Mode::predict, result, "samples_per_s"), "4000 to 6400");
}

// rooflab partition resnet18 --batch 8 --phase training --device h200,h200 --micro-batches 2
// -o x.json, with round times
constexpr std::string_view partitioned =
    R"({"schema_version": 3, "command": "partition", "batch": 8, "devices": ["h200", "h200"],
  "least_memory_bytes": null, "plan": {"sequential_s": 0.0052, "predicted_s": 0.004,
  "bubble_share": 0.33, "idle_share": 0.36, "stages": [{"predicted_s": 0.0041, "memory":
  {"allocated_peak_bytes": 179806718, "reserved_peak_bytes": 300000000, "total_bytes":
  1044225536}}, {"predicted_s": 0.004, "memory": {"allocated_peak_bytes": 247933012,
  "reserved_peak_bytes": 280934048, "total_bytes": 1137424032}}]}, "run": null, "median_s":
  null, "time_ratio": null})";

TEST(DevicesFigures, OfAPartitionAreTheStepAndTheLargestStage) {
  EXPECT_THAT(
      values_in(Mode::partition, partitioned),
      UnorderedElementsAre(value("time", 0.004), value("samples_per_s", 2000), value("idle", 0.36),
                           value("memory", 247'933'012), value("reserved_memory", 300e6),
                           value("total_memory", 1'137'424'032)));
}

TEST(DevicesFigures, OfOnesOwnCutAreItsOwn) {
  Json json = parse_json(partitioned, "x.json");
  json["own_plan"] = json["plan"];
  json["own_plan"]["idle_share"] = 0.5;
  EXPECT_THAT(values_in(Mode::partition, json.dump()), testing::Contains(value("idle", 0.5)));
}

TEST(DevicesFigures, OfAPartitionThatRanAreMeasured) {
  // rooflab partition resnet18 --batch 8 --device cuda:0,cuda:0 --measure -o x.json
  Json json = parse_json(partitioned, "x.json");
  json["run"] = parse_json(R"({"status": "ok", "message": "", "stages": [
      {"time_s": 0.0037, "allocated_peak_bytes": 300000000},
      {"time_s": 0.0032, "allocated_peak_bytes": 200000000}]})",
                           "x.json");
  json["median_s"] = 0.008;
  EXPECT_THAT(values_in(Mode::partition, json.dump()),
              UnorderedElementsAre(value("time", 0.008), value("samples_per_s", 1000),
                                   value("memory", 300e6)));
  json["run"]["status"] = "oom";  // the plan's figures would pass for measured ones
  EXPECT_THAT(values_in(Mode::partition, json.dump()), IsEmpty());
}

// rooflab fit --layer conv=... --layer fc=... --input 16x64x112x112 --vary conv=1..,fc=1..
// --phase forward --device h200-sxm --memory-limit 8GB -o x.json
constexpr std::string_view fitted = R"({"schema_version": 3, "command": "fit",
  "usable_memory_bytes": 8000000000, "memory_limited": true, "count_names": ["conv", "fc"], "points": [
    {"varied": "together", "fits": [59, 59], "largest": [67, 66],
     "end_of_range": false, "memory": {"allocated_peak_bytes": 7126849536,
       "reserved_peak_bytes": 7128219648, "total_bytes": 7984709632}, "predicted_s": 0.039,
     "limit_s": null, "searched": false, "found": [], "found_end_of_range": false},
    {"varied": "conv alone", "largest": [133, 1], "end_of_range": false}],
  "tries": []})";

TEST(DevicesFigures, OfABoundaryAreThoseOfItsFirstPoint) {
  const auto figures = UnorderedElementsAre(
      value("device_memory", 8e9), value("predicted_largest", 67 + 66), value("time", 0.039),
      value("memory", 7'126'849'536), value("reserved_memory", 7'128'219'648),
      value("total_memory", 7'984'709'632));
  EXPECT_THAT(values_in(Mode::fit, fitted), figures);
  Json json = parse_json(fitted, "x.json");
  json["points"][0]["predicted_s"] = nullptr;
  json["points"][0]["limit_s"] = 0.039;
  EXPECT_THAT(values_in(Mode::fit, json.dump()), figures);
}

TEST(DevicesFigures, OfABoundaryThatWasSearchedAreMeasured) {
  // ROOFLAB_FAKE=oom-above=40resnet18 rooflab fit resnet18 --device cuda:0 --vary batch=1..64
  // --measure --phase training -o x.json
  constexpr std::string_view result =
      R"({"command": "fit", "usable_memory_bytes": 150000000000, "points": [
      {"varied": "batch", "fits": [64], "largest": [64], "end_of_range": true,
       "memory": {"allocated_peak_bytes": 1970103808}, "predicted_s": 0.025, "searched": true,
       "found": [40],
       "found_end_of_range": false, "median_s": 0.4, "count_ratio": null}],
    "tries": [
      {"counts": [64], "status": "oom", "median_s": null, "allocated_peak_bytes": null},
      {"counts": [33], "status": "ok", "median_s": 0.33, "allocated_peak_bytes": 250000000},
      {"counts": [40], "status": "ok", "median_s": 0.4, "allocated_peak_bytes": 300000000,
       "reserved_peak_bytes": 400000000, "message": ""}]})";
  // No predicted boundary: the range ended before it.
  EXPECT_THAT(
      values_in(Mode::fit, result),
      UnorderedElementsAre(value("device_memory", 150e9), value("time", 0.4), value("largest", 40),
                           value("memory", 300e6), value("reserved_memory", 400e6)));
  Json json = parse_json(result, "x.json");
  json["points"][0]["end_of_range"] = false;
  json["points"][0]["found_end_of_range"] = true;
  EXPECT_THAT(values_in(Mode::fit, json.dump()),
              UnorderedElementsAre(value("device_memory", 150e9), value("time", 0.4),
                                   value("predicted_largest", 64), value("memory", 300e6),
                                   value("reserved_memory", 400e6)));
}

TEST(DevicesFigures, HoldNoBoundaryWhereNotEvenTheLeastFits) {
  EXPECT_THAT(values_in(Mode::fit, R"({"usable_memory_bytes": 8, "points": [{"largest": null,
                        "end_of_range": false, "memory": null, "predicted_s": null}]})"),
              UnorderedElementsAre(value("device_memory", 8)));
}

}  // namespace
}  // namespace rooflab::study
