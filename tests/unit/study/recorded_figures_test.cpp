// What profile, import and probe wrote, cut down by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "result_figures.hpp"

namespace rooflab::study {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// rooflab profile -o x.json -- PROGRAM, of a program on a driver that is faked
constexpr std::string_view profiled =
    R"({"schema_version": 3, "kind": "record", "command": "import", "source": "cuda_program",
  "totals": {"launches": 5, "time_s": 5e-05, "dram_bytes": 6900, "fp32_flop": 93024,
  "tensor_flop": 81920, "flop": 174944, "intensity_flop_per_byte": 25.35, "coverage":
  {"dram_bytes": 1.0, "flop": 1.0, "intensity_flop_per_byte": 1.0, "time_s": 1.0}}, "check":
  null, "panes": null, "status": "ok", "message": "", "counting": {"steps_s": [5.6e-05,
  5.8e-05, 5.7e-05], "step": {"dram_bytes": 7000, "tensor_flop": 82000, "flop": null}},
  "warnings": []})";

TEST(RecordedFigures, OfAProfileAreTheStepAndItsCounters) {
  EXPECT_THAT(values_in(Mode::profile, profiled),
              UnorderedElementsAre(value("time", 5.7e-5), value("variation", 1.0 / 57.0),
                                   value("device_time", 5e-5), value("counted_flops", 174'944),
                                   value("counted_tensor_flops", 81'920), value("dram_bytes", 6900),
                                   value("counted_intensity", 25.35),
                                   value("counted_throughput", 174'944 / 5e-5)));
  EXPECT_EQ(interval_in(Mode::profile, profiled, "time"), "5.6e-05 to 5.8e-05");
}

TEST(RecordedFigures, OfCountersOfTheWholeStepAloneAreItsTensorWorkAndBytes) {
  // rooflab profile --mode totals: no kernel has separate counters
  Json json = parse_json(profiled, "x.json");
  json["totals"] = parse_json(R"({"launches": 5, "time_s": 5e-5, "dram_bytes": null, "flop": null,
    "coverage": {"time_s": 1.0}})",
                              "x.json");
  EXPECT_THAT(values_in(Mode::profile, json.dump()),
              UnorderedElementsAre(
                  value("time", 5.7e-5), value("variation", 1.0 / 57.0), value("device_time", 5e-5),
                  value("counted_tensor_flops", 82'000), value("dram_bytes", 7000)));
}

TEST(RecordedFigures, OfARecordingThatBrokeOffAreNone) {
  Json json = parse_json(profiled, "x.json");
  json["status"] = "interrupted";
  EXPECT_THAT(values_in(Mode::profile, json.dump()), IsEmpty());
}

// rooflab import run.csv --check resnet18 --batch 1 --phase training -o x.json
constexpr std::string_view imported = R"({"command": "import", "source": "run.csv",
  "totals": {"launches": 292, "time_s": 0.002, "dram_bytes": 345560832, "fp32_flop": 4466655395,
    "tensor_flop": 6472859648, "flop": 10939515043, "intensity_flop_per_byte": 31.66,
    "coverage": {"dram_bytes": 1.0, "flop": 1.0, "intensity_flop_per_byte": 1.0, "time_s": 1.0}},
  "check": {"model_flop": 10745557916, "model_matrix_flop": 10648412160,
    "model_vector_flop": 97145756, "missing_share": -0.018},
  "panes": null, "status": "ok", "warnings": ["one. Two."]})";

TEST(RecordedFigures, OfALogAreSumsOverItsKernelsAndTheCheckedNetwork) {
  EXPECT_THAT(
      values_in(Mode::import, imported),
      UnorderedElementsAre(
          value("time", 0.002), value("device_time", 0.002), value("counted_flops", 10'939'515'043),
          value("counted_tensor_flops", 6'472'859'648), value("dram_bytes", 345'560'832),
          value("counted_intensity", 31.66), value("counted_throughput", 5'469'757'521'500),
          value("flops", 10'745'557'916), value("matrix_flops", 10'648'412'160),
          value("vector_flops", 97'145'756), value("throughput", 5'372'778'958'000)));
}

TEST(RecordedFigures, AreNoSumsOverAPartOfTheKernels) {
  Json json = parse_json(imported, "x.json");
  json["check"] = nullptr;
  json["totals"]["coverage"] = {{"dram_bytes", 0.99}, {"flop", 0.5}, {"time_s", 1.0}};
  EXPECT_THAT(values_in(Mode::import, json.dump()),
              UnorderedElementsAre(value("time", 0.002), value("device_time", 0.002)));
  json["totals"]["coverage"]["time_s"] = 0.5;
  EXPECT_THAT(values_in(Mode::import, json.dump()), IsEmpty());
}

TEST(RecordedFigures, OfALogWithoutTensorCountersHaveNoSumOfFlops) {
  // `flops` is null there: fp32 work would pass for the whole
  Json json = parse_json(imported, "x.json");
  json["check"] = nullptr;
  json["totals"]["flop"] = nullptr;
  json["totals"]["tensor_flop"] = nullptr;
  json["totals"]["intensity_flop_per_byte"] = nullptr;
  json["totals"]["coverage"].erase("flop");
  EXPECT_THAT(values_in(Mode::import, json.dump()),
              UnorderedElementsAre(value("time", 0.002), value("device_time", 0.002),
                                   value("dram_bytes", 345'560'832)));
}

// rooflab import trace.json.gz -o x.json; communication added
constexpr std::string_view traced = R"({"command": "import", "status": "ok", "check": null,
  "totals": {"launches": 1116, "time_s": 0.013, "dram_bytes": null, "flop": null,
    "coverage": {"time_s": 1.0}},
  "panes": {
    "plugin": {"marked": true, "mean_step": {"total_s": 0.0041896294}},
    "ours": {"marked": true, "mean_step": {"total_s": 0.007},
      "devices": [{"device": "cuda:0", "busy_share": 0.61, "sm_efficiency_share": 0.51,
                   "occupancy_share": 0.33},
                  {"device": "cuda:1", "busy_share": 0.1}],
      "overlap": {"communication_share": 0.2, "hidden_share": 0.75,
        "has_communication": true}}}})";

TEST(RecordedFigures, OfATraceAreItsStepsByOurRules) {
  EXPECT_THAT(values_in(Mode::import, traced),
              UnorderedElementsAre(value("time", 0.007), value("utilization", 0.61),
                                   value("sm_efficiency", 0.51), value("occupancy", 0.33),
                                   value("communication", 0.2), value("hidden", 0.75)));
}

TEST(RecordedFigures, OfATraceNeedMarksForATimeAndMessagesForCommunication) {
  Json json = parse_json(traced, "x.json");
  json["panes"]["ours"]["marked"] = false;
  json["panes"]["ours"]["overlap"]["has_communication"] = false;
  EXPECT_THAT(values_in(Mode::import, json.dump()),
              UnorderedElementsAre(value("utilization", 0.61), value("sm_efficiency", 0.51),
                                   value("occupancy", 0.33)));
}

TEST(RecordedFigures, OfSeveralFilesAreThoseOfTheFirst) {
  const std::string both = R"({"command": "import", "imports": [)" + std::string(traced) + ", " +
                           std::string(imported) + "]}";
  EXPECT_EQ(values_in(Mode::import, both), values_in(Mode::import, traced));
}

// rooflab probe --device cuda -o x.json; figures chosen by hand
constexpr std::string_view probed = R"({"command": "probe", "figures": [
  {"name": "dram.read", "unit": "B/s", "value": 4.4e12, "least": 4.3e12, "most": 4.5e12,
   "repetitions": 7},
  {"name": "dram.write", "unit": "B/s", "value": 4.5e12, "least": 4.4e12, "most": 4.6e12,
   "repetitions": 7},
  {"name": "l2.read", "unit": "B/s", "value": 9e12, "repetitions": 7},
  {"name": "gemm.fp32_vector", "unit": "FLOP/s", "value": 5e13, "least": 4.9e13, "most": 5.1e13,
   "repetitions": 5},
  {"name": "gemm.fp32_vector.8192", "unit": "FLOP/s", "value": 5.1e13, "repetitions": 7},
  {"name": "peak.fp32_vector", "unit": "FLOP/s", "value": 6e13, "repetitions": 7},
  {"name": "gemm.tf32_tensor", "unit": "FLOP/s", "value": 4e14, "repetitions": 7},
  {"name": "gemm.bf16_tensor_fp32", "unit": "FLOP/s", "value": 7e14, "repetitions": 7},
  {"name": "gemm.int8_tensor_int32", "unit": "OP/s", "value": 9e14, "repetitions": 7},
  {"name": "launch.issue", "unit": "s", "value": 1e-5, "repetitions": 7}],
  "vector_additions": []})";

TEST(RecordedFigures, OfAProbeAreTheFastestAccessAndProducts) {
  EXPECT_THAT(values_in(Mode::probe, probed),
              UnorderedElementsAre(value("bandwidth", 4.5e12), value("peak_flops", 5e13),
                                   value("tensor_peak_flops", 7e14)));
  EXPECT_EQ(interval_in(Mode::probe, probed, "bandwidth"), "4.4e+12 to 4.6e+12");
  EXPECT_EQ(interval_in(Mode::probe, probed, "peak_flops"), "exact");  // five repetitions
}

TEST(RecordedFigures, OfAProbeWithoutProductsAreLoopsInRegisters) {
  constexpr std::string_view result = R"({"figures": [
    {"name": "peak.fp32_vector", "unit": "FLOP/s", "value": 6e13, "repetitions": 7}]})";
  EXPECT_THAT(values_in(Mode::probe, result), UnorderedElementsAre(value("peak_flops", 6e13)));
}

}  // namespace
}  // namespace rooflab::study
