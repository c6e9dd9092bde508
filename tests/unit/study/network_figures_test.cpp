// What summary, predict and measure wrote, cut down by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "result_figures.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(NetworkFigures, OfASummaryAreCountsAndSizes) {
  // rooflab summary resnet18 --batch 4 --phase training -o x.json
  constexpr std::string_view result =
      R"({"schema_version": 3, "command": "summary", "batch": 4, "totals": {"parameters": 11689512,
  "macs": 7256293376, "matrix_flop": 42593648640, "vector_flop": 248308880, "flop":
  42841957520, "compulsory_bytes": 1233153004, "activation_bytes": 131686016,
  "saved_activation_bytes": 86365312, "intensity_flop_per_byte": 34.74180201567266,
  "input_bytes": 2408448, "parameter_bytes": 46758048, "coverage_share": 1.0}})";
  EXPECT_THAT(values_in(Mode::summary, result),
              UnorderedElementsAre(
                  value("parameters", 11'689'512), value("macs", 7'256'293'376),
                  value("flops", 42'841'957'520), value("matrix_flops", 42'593'648'640),
                  value("vector_flops", 248'308'880), value("bytes", 1'233'153'004),
                  value("intensity", 34.74180201567266), value("saved_activations", 86'365'312),
                  value("parameter_memory", 46'758'048), value("input_memory", 2'408'448),
                  value("activation_memory", 131'686'016)));
}

// rooflab predict resnet18 --device a100-sxm4-40gb,t4 --batch 4 --phase training --precision tf32
// -o x.json, with round times
constexpr std::string_view predicted =
    R"({"schema_version": 3, "command": "predict", "cases": [{"model": "resnet18", "device":
  "a100-sxm4-40gb", "batch": 4, "limit_s": 0.001, "prediction_model": "calibrated",
  "predicted_s": 0.004, "predicted_low_s": 0.002, "predicted_high_s": 0.008, "prediction":
  {"predicted_device_s": 0.0035, "predicted_host_s": 0.0038}, "ppp_s": 0.0016,
  "intensity_flop_per_byte": 34.5, "ridge_point_flop_per_byte": 100.25, "parameters":
  11689512, "macs": 7256293376, "flop": 42841957520, "matrix_flop": 42593648640,
  "vector_flop": 248308880, "path_flop": {"fp32_vector": 248308880, "tf32_tensor":
  42593648640}, "compulsory_bytes": 1233153004, "memory": {"parameter_bytes": 46758048,
  "input_bytes": 2408480, "saved_activation_bytes": 86365312, "allocated_peak_bytes":
  319541252, "reserved_peak_bytes": 369098752, "context_bytes": 856489984, "total_bytes":
  1225588736, "unknown": []}, "device_memory_bytes": 40000000000, "verdict": "fits",
  "coverage_share": 1.0, "notes": []}, {"model": "resnet18", "device": "t4", "predicted_s":
  9}]})";

TEST(NetworkFigures, OfAPredictionAreThoseOfItsFirstCase) {
  EXPECT_THAT(
      values_in(Mode::predict, predicted),
      UnorderedElementsAre(
          value("time", 0.004), value("limit", 0.001), value("issue_time", 0.0038),
          value("device_time", 0.0035), value("throughput", 42'841'957'520 / 0.004),
          value("samples_per_s", 1000), value("parameters", 11'689'512),
          value("macs", 7'256'293'376), value("flops", 42'841'957'520),
          value("matrix_flops", 42'593'648'640), value("vector_flops", 248'308'880),
          value("flops_outside_tensor_cores", 248'308'880), value("bytes", 1'233'153'004),
          value("intensity", 34.5), value("ridge_point", 100.25), value("memory", 319'541'252),
          value("reserved_memory", 369'098'752), value("total_memory", 1'225'588'736),
          value("device_memory", 40e9), value("parameter_memory", 46'758'048),
          value("input_memory", 2'408'480), value("saved_activations", 86'365'312)));
}

// As this program writes it.
TEST(NetworkFigures, OfAPredictionOfThisVersion) {
  const analyze::CaseResult result =
      analyze::predict_case(zoo::build("alexnet", {.batch = 4}), "h200-sxm");
  const std::string json = report::predict_view({&result, 1}).json.dump();
  std::map<std::string, double> values = values_in(Mode::predict, json);
  EXPECT_DOUBLE_EQ(values["time"], result.prediction->time.value);
  EXPECT_DOUBLE_EQ(values["limit"], result.limit.time->value);
  EXPECT_DOUBLE_EQ(values["device_time"], result.prediction->device.value);
  EXPECT_DOUBLE_EQ(values["flops"], result.limit.flops().as_double());
  EXPECT_DOUBLE_EQ(values["ridge_point"], *result.limit.ridge_point);
  EXPECT_DOUBLE_EQ(values["reserved_memory"], result.memory.reserved.as_double());
  EXPECT_DOUBLE_EQ(values["parameter_memory"], result.memory.parameters.as_double());
  // As of the case above, but for the figures of the host, which an inference may lack.
  EXPECT_GE(values.size(), values_in(Mode::predict, predicted).size() - 1);
}

TEST(NetworkFigures, OfASummaryOfThisVersion) {
  const analyze::NetworkSummary summary = analyze::summarize_network(
      schedule::lower(zoo::build("alexnet"), {.phase = Phase::training}), "alexnet");
  std::map<std::string, double> values =
      values_in(Mode::summary, report::summary_report(summary).json.dump());
  EXPECT_EQ(values["parameters"], 61'100'840);
  EXPECT_EQ(values["parameter_memory"], 4 * 61'100'840);
  EXPECT_EQ(values["matrix_flops"], summary.totals.work.matrix_flops.as_double());
  EXPECT_EQ(values["saved_activations"], summary.totals.saved.as_double());
  EXPECT_EQ(values["convolution_share"] + values["product_share"] + values["elementwise_share"] +
                values["other_share"],
            1.0);
  EXPECT_LT(values["forward_flops"] + values["backward_flops"], values["flops"]);
  EXPECT_EQ(values["torchsummary_memory"], 2.0 * values["activation_memory"]);
  EXPECT_EQ(values.size(), 23U);
}

TEST(NetworkFigures, OfACalibratedPredictionHaveItsInterval) {
  EXPECT_EQ(interval_in(Mode::predict, predicted, "time"), "0.002 to 0.008");
  // 4 images in 8 ms, in 2 ms
  EXPECT_EQ(interval_in(Mode::predict, predicted, "samples_per_s"), "500 to 2000");
  EXPECT_EQ(interval_in(Mode::predict, predicted, "throughput"), "5.355e+12 to 2.142e+13");
  EXPECT_EQ(interval_in(Mode::predict, predicted, "limit"), "exact");
}

TEST(NetworkFigures, OfAPredictionTakeTheExpectedTimeThenPppThenTheLimit) {
  constexpr std::string_view ppp =
      R"({"cases": [{"limit_s": 0.1, "prediction_model": "limit", "predicted_s": null, "ppp_s":
  0.2}]})";
  EXPECT_THAT(values_in(Mode::predict, ppp),
              UnorderedElementsAre(value("time", 0.2), value("limit", 0.1)));
  EXPECT_EQ(interval_in(Mode::predict, ppp, "time"), "exact");
  EXPECT_THAT(values_in(Mode::predict, R"({"cases": [{"limit_s": 0.1, "ppp_s": null}]})"),
              UnorderedElementsAre(value("time", 0.1), value("limit", 0.1)));
  EXPECT_THAT(values_in(Mode::predict, R"({"cases": [{"limit_s": null, "flop": 5}]})"),
              UnorderedElementsAre(value("flops", 5)));
}

TEST(NetworkFigures, CountNoWorkOutsideTensorCoresOfPathsThatAreNotKnown) {
  EXPECT_THAT(values_in(Mode::predict,
                        R"({"cases": [{"path_flop": {"fp32_vector": 5, "fp4_tensor": 7}}]})"),
              IsEmpty());
  EXPECT_THAT(
      values_in(Mode::predict,
                R"({"cases": [{"path_flop": {"fp16_vector": 5, "fp32_vector": 6, "fp32_matrix": 7,
  "fp16_tensor_fp32": 8}}]})"),
      UnorderedElementsAre(value("flops_outside_tensor_cores", 11)));
}

// rooflab measure resnet18 --device cuda --batch 4 --phase training --precision tf32 --counters
// -o x.json, by the worker of the tests; sampled figures added
constexpr std::string_view measured_result =
    R"({"schema_version": 3, "command": "measure", "cases": [
  {"model": "resnet18", "device": "cuda:0", "batch": 4, "status": "ok", "message": "",
   "timing": {"median_s": 0.04, "variation": 0.015, "median_low_s": 0.032, "median_high_s": 0.05,
     "timed_steps": 10, "setup_s": 0.5, "first_call_s": 0.8, "issue_s": 0.01, "device_s": 0.039},
   "samples_per_s": 100.0, "flop_per_s": 1071048938000.0, "peak_share": 0.002,
   "memory": {"allocated_peak_bytes": 300000000, "reserved_peak_bytes": 400000000,
     "device_used_bytes": 1000000000, "context_bytes": 500000000, "saved_activation_bytes": 100000000},
   "predicted_memory": {"predicted_peak_bytes": 229134496},
   "limit": {"device": "h200-sxm", "limit_s": 0.00028, "macs": 7256293376, "flop": 42841957520,
     "compulsory_bytes": 1000000000, "coverage_share": 1.0},
   "step_energy_j": 2.5,
   "sample_summary": {"sample_count": 9, "mean_power_w": 412.5,
     "mean_core_utilization_share": 0.9, "mean_memory_utilization_share": 0.25},
   "counters": {"totals": {"launches": 138, "coverage": {"flop": 1.0, "dram_bytes": 1.0},
       "time_s": 0.0021, "tensor_flop": 43852464128, "flop": 43900000000,
       "dram_bytes": 832551496, "intensity_flop_per_byte": 52.7, "flop_per_s": 20405772062751.0},
     "step": {"tensor_flop": 43852464999, "flop": null, "dram_bytes": 749296346.4}},
   "warnings": [],
   "environment": {"device_properties": {"name": "NVIDIA H200", "memory_bytes": 150000000000}}}]})";

TEST(NetworkFigures, OfAMeasurementAreTimeMemoryPowerAndCounters) {
  EXPECT_THAT(
      values_in(Mode::counters, measured_result),
      UnorderedElementsAre(
          value("time", 0.04), value("variation", 0.015), value("setup", 0.5),
          value("first_call", 0.8), value("issue_time", 0.01), value("device_time", 0.039),
          value("limit", 0.00028), value("macs", 7'256'293'376), value("flops", 42'841'957'520),
          value("bytes", 1e9), value("intensity", 42.841957520),
          value("throughput", 1'071'048'938'000), value("samples_per_s", 100),
          value("fraction_of_peak", 0.002), value("memory", 300e6), value("reserved_memory", 400e6),
          value("total_memory", 900e6), value("device_used_memory", 1e9),
          value("saved_activations", 100e6), value("device_memory", 150e9), value("energy", 2.5),
          value("power", 412.5), value("utilization", 0.9), value("memory_utilization", 0.25),
          value("counted_flops", 43.9e9), value("counted_tensor_flops", 43'852'464'128),
          value("dram_bytes", 832'551'496), value("counted_intensity", 52.7),
          value("counted_throughput", 20'405'772'062'751)));
}

TEST(NetworkFigures, OfAMeasurementHaveTheMediansInterval) {
  EXPECT_EQ(interval_in(Mode::measure, measured_result, "time"), "0.032 to 0.05");
  EXPECT_EQ(interval_in(Mode::measure, measured_result, "samples_per_s"), "80 to 125");
  EXPECT_EQ(interval_in(Mode::measure, measured_result, "fraction_of_peak"), "0.0016 to 0.0025");
  EXPECT_EQ(interval_in(Mode::measure, measured_result, "setup"), "exact");
}

TEST(NetworkFigures, AreNoSumsOfAPartOfTheKernels) {
  Json json = parse_json(measured_result, "x.json");
  json["cases"][0]["counters"]["totals"]["coverage"]["flop"] = 0.99;
  std::map<std::string, double> values = values_in(Mode::counters, json.dump());
  EXPECT_FALSE(values.contains("counted_flops"));
  EXPECT_FALSE(values.contains("counted_throughput"));
  EXPECT_FALSE(values.contains("counted_intensity"));
  // Tensor work is then the whole step's; bytes are still summed.
  EXPECT_EQ(values.at("counted_tensor_flops"), 43'852'464'999.0);
  EXPECT_EQ(values.at("dram_bytes"), 832'551'496.0);

  json["cases"][0]["counters"]["totals"]["coverage"]["dram_bytes"] = 0.5;
  values = values_in(Mode::counters, json.dump());
  EXPECT_EQ(values.at("dram_bytes"), 749'296'346.4);
  json["cases"][0]["counters"]["step"] = nullptr;
  values = values_in(Mode::counters, json.dump());
  EXPECT_FALSE(values.contains("dram_bytes"));
  EXPECT_FALSE(values.contains("counted_tensor_flops"));
}

TEST(NetworkFigures, OfACaseThatRanOutOfMemoryAreItsMemory) {
  // ROOFLAB_FAKE=oomvgg16 rooflab measure vgg16 --device cuda --no-layers -o x.json
  constexpr std::string_view result = R"({"cases": [{"model": "vgg16", "batch": 1, "status": "oom",
    "message": "out of memory: 300 MB held, 128 MB asked", "timing": null, "samples_per_s": null,
    "memory": null, "predicted_memory": {"predicted_peak_bytes": 579722400},
    "limit": {"limit_s": 0.0006, "macs": 15470264320, "flop": 30972257256,
      "compulsory_bytes": 903994432},
    "environment": {"device_properties": {"memory_bytes": 150000000000}}}]})";
  EXPECT_THAT(values_in(Mode::measure, result),
              UnorderedElementsAre(value("device_memory", 150e9)));
}

TEST(NetworkFigures, OfMemoryWithContextNeedBoth) {
  constexpr std::string_view result = R"({"cases": [{"status": "ok",
    "memory": {"reserved_peak_bytes": 400, "context_bytes": null}}]})";
  EXPECT_THAT(values_in(Mode::measure, result),
              UnorderedElementsAre(value("reserved_memory", 400)));
}

}  // namespace
}  // namespace rooflab::study
