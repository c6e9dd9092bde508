#include "rooflab/analyze/predictor.hpp"

#include <gmock/gmock.h>

#include "networks.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::analyze {
namespace {

using testing::HasSubstr;

const std::string data = std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/";

double time_of(const CaseResult& result) { return result.predicted_time().value().value; }

template <class Work>
Error error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::system, "nothing was thrown"};
}

TEST(Predictor, AnswersAsTheFreeFunctionsAndKeepsItsModels) {
  const Predictor predictor;
  const graph::Graph network = zoo::build("resnet18", {.batch = 8});
  const schedule::LoweringOptions training{.phase = Phase::training};
  const CaseResult once = predictor.predict(network, "h200", training);
  EXPECT_EQ(time_of(once), time_of(predict_case(network, "h200", training)));
  EXPECT_EQ(time_of(once), time_of(predictor.predict(network, "H200 SXM", training)));
  const schedule::Schedule step = schedule::lower(network, training);
  EXPECT_EQ(time_of(once), time_of(predictor.predict(step, device_named("h200-sxm"))));
  EXPECT_EQ(time_of(once),
            time_of(predict_case(step, device_named("h200-sxm"), {}, predictor.calibrations())));
  EXPECT_EQ(predictor.model_for("h200"), predictor.model_for(device_named("h200-sxm")));
  EXPECT_NE(predictor.model_for("h200"), predictor.model_for("h200", {.name = "none"}));
}

// What is kept for a device of the catalog is not used for the caller's device of that id.
TEST(Predictor, ADeviceOfTheCallerIsItself) {
  const Predictor predictor;
  const graph::Graph network = zoo::build("vgg16", {.batch = 8});
  device::Device slower = device_named("rtx3090");
  slower.bandwidth->value /= 4.0;
  for (auto& [path, peak] : slower.peaks) peak.value /= 4.0;
  const double known = time_of(predictor.predict(network, "rtx3090"));
  EXPECT_GT(time_of(predictor.predict(network, slower)), 2.0 * known);
  EXPECT_EQ(time_of(predictor.predict(network, "rtx3090")), known);
  EXPECT_EQ(time_of(predictor.predict(network, slower)),
            time_of(Predictor().predict(network, slower)));
}

// A T4 has no units for bf16: amp is fp16 there, for a device by name and for one of the caller.
TEST(Predictor, LowersForTheDevice) {
  const Predictor predictor;
  const graph::Graph network = zoo::build("resnet50", {.batch = 4});
  const schedule::LoweringOptions amp{.phase = Phase::training, .precision = Precision::amp};
  const CaseResult by_name = predictor.predict(network, "t4", amp);
  const CaseResult own = predictor.predict(network, device_named("t4"), amp);
  EXPECT_EQ(by_name.precision, Precision::amp_fp16);
  EXPECT_EQ(time_of(own), time_of(by_name));
  const Error refused =
      error_of([&] { (void)predictor.predict(schedule::lower(network, amp), "t4"); });
  EXPECT_EQ(refused.kind(), ErrorKind::usage);
  EXPECT_THAT(refused.what(), HasSubstr("amp-fp16"));
  EXPECT_THAT(refused.hint(), HasSubstr("lowering_on"));
  EXPECT_THROW((void)predict_case(schedule::lower(network, amp), device_named("t4")), Error);
  (void)predictor.predict(schedule::lower(network, amp), "h200");  // computes bf16
}

TEST(Predictor, PredictsRecordingsAndBytes) {
  const Predictor predictor;
  const auto recorded = recording::read_recording(data + "recordings/small-b4-train.rec.jsonl.gz");
  const CaseResult step = predictor.predict(recorded, "a100-sxm4-40gb");
  EXPECT_TRUE(step.recorded);
  EXPECT_EQ(step.phase, Phase::training);
  EXPECT_EQ(time_of(step),
            time_of(predict_case(recording::lower(recorded), device_named("a100-sxm4-40gb"))));

  const std::string bytes = read_file(data + "onnx/tv-resnet18-dynamo.onnx");
  const CaseResult network = predictor.predict_onnx(bytes, "t4");
  const onnx::ImportResult read = onnx::read_onnx_bytes(bytes, "resnet18.onnx");
  EXPECT_EQ(time_of(network), time_of(predictor.predict(read.graph, "t4")));
  EXPECT_EQ(network.count.parameters, read.graph.parameter_elements());
  EXPECT_THROW((void)predictor.predict_onnx("not ONNX", "t4"), Error);
}

TEST(Predictor, WhatCannotBeHadIsAnError) {
  const Predictor predictor;
  const graph::Graph network = zoo::build("alexnet");
  EXPECT_EQ(error_of([&] { (void)predictor.predict(network, "h2000"); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] {
              (void)predictor.predict(network, "t4", {}, {.model = PredictionModel::ppp});
            }).kind(),
            ErrorKind::usage);
  device::Device bare;
  bare.name = "Unknown";
  EXPECT_THAT(error_of([&] { (void)predictor.fit(network, bare); }).what(), HasSubstr("memory"));
}

// Not even one sample of four billion elements fits; the range ends where it is told to.
TEST(Predictor, FitsBatches) {
  const Predictor predictor;
  const BatchFit few = predictor.fit(zoo::build("alexnet"), "h200", {}, 16);
  EXPECT_EQ(few.fits, 16);
  EXPECT_EQ(few.largest, 16);
  device::Device small = device_named("t4");
  small.memory->value = 1e6;
  const BatchFit none = predictor.fit(zoo::build("alexnet"), small);
  EXPECT_FALSE(none.fits);
  EXPECT_FALSE(none.likely);
  EXPECT_FALSE(none.largest);
  EXPECT_TRUE(none.uncounted.empty());
}

// Rows alone predict like rows with their model.
TEST(KnownCalibrations, FitsRowsThatHaveNoModel) {
  device::Catalog catalog = device::Catalog::built_in();
  device::Calibration own{.id = "mine", .device = "t4", .device_name = "Tesla T4"};
  device::OpTable& table = own.ops["linear.forward.fp32"];
  table.columns = {"rows", "in_features", "out_features"};
  for (const double rows : {1.0, 32.0, 512.0, 4096.0}) {
    for (const double in : {256.0, 1024.0, 4096.0}) {
      for (const double out : {256.0, 1024.0, 4096.0}) {
        const double bytes = 4.0 * (rows * in + in * out + rows * out);
        table.rows.push_back(
            {{rows, in, out}, 5e-6 + 2.0 * rows * in * out / 6e12 + bytes / 250e9, {}});
      }
    }
  }
  KnownCalibrations known;
  known.add(own, catalog);
  EXPECT_TRUE(known.all.front().entry().kinds.front().fitted);
  const auto model = known.model_for(catalog.find("t4"));
  const double time_s =
      model->times.estimate({"linear", "forward", "fp32", "", {512.0, 1024.0, 1024.0}}).time_s;
  const double row_s = 5e-6 + 2.0 * 512.0 * 1024.0 * 1024.0 / 6e12 + 4.0 * 2097152.0 / 250e9;
  EXPECT_NEAR(time_s / row_s, 1.0, 0.05);

  own.ops["linear.forward.fp32"].columns = {"rows", "in_features"};
  const Error refused = error_of([&] { KnownCalibrations().add(own, catalog); });
  EXPECT_EQ(refused.kind(), ErrorKind::input);
  EXPECT_THAT(refused.hint(), HasSubstr("out_features"));
}

}  // namespace
}  // namespace rooflab::analyze
