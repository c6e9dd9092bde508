#include "rooflab/engine/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::engine {
namespace {

using graph::GraphBuilder;
using graph::ValueId;
using testing::StartsWith;

/// Every setting differs from its default and from its neighbours.
Case full_case() {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 3, 8, 8});
  {
    const auto scope = b.scope("layer1");
    x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
    x = b.unary(x, graph::UnaryFunction::relu, "relu", true);
  }
  Case request;
  request.graph = std::move(b).finish({x});
  request.identity.model = "net.onnx";
  request.identity.device = "cuda:1";
  request.identity.batch = 2;
  request.identity.phase = Phase::training;
  request.identity.precision = Precision::bf16;
  request.identity.optimizer = "adam";
  request.identity.channels_last = true;
  request.identity.command = "rooflab measure net.onnx";
  request.settings = {.iterations = 7,
                      .min_time_s = 0.5,
                      .max_time_s = 12.5,
                      .warmup_time_s = 3.25,
                      .per_layer = true,
                      .counters = true,
                      .threads = 3,
                      .seed = 42,
                      .cudnn_benchmark = true,
                      .sample_period_s = 0.2,
                      .data_workers = 5};
  request.weights = WeightSource::file;
  request.values = {{"layer1.conv.weight", {"/data/net.onnx", 4096}},
                    {"layer1.conv.bias", {"/data/net.bin", 5'000'000'000}}};
  request.outputs = "/tmp/outputs.txt";
  return request;
}

/// What reading says after `change` was done to a good case's JSON.
template <class Change>
std::string error_after(Change change) {
  Json json = file_json(full_case());
  change(json);
  return error_of([&] { return from_file_json<Case>(json, "case.json"); });
}

TEST(Case, ReadsBackWhatWasWritten) {
  const Case request = full_case();
  // Through text, as the worker gets it.
  const Case read =
      from_file_json<Case>(parse_json(file_json(request).dump(), "case.json"), "case.json");
  record::CaseIdentity identity = request.identity;
  identity.graph = graph::to_text(request.graph);
  EXPECT_EQ(read.identity, identity);
  EXPECT_EQ(graph::to_text(read.graph), graph::to_text(request.graph));
  EXPECT_EQ(read.settings.iterations, 7);
  EXPECT_EQ(read.settings.min_time_s, 0.5);
  EXPECT_EQ(read.settings.max_time_s, 12.5);
  EXPECT_EQ(read.settings.warmup_time_s, 3.25);
  EXPECT_TRUE(read.settings.per_layer);
  EXPECT_TRUE(read.settings.counters);
  EXPECT_EQ(read.settings.threads, 3);
  EXPECT_EQ(read.settings.seed, 42U);
  EXPECT_TRUE(read.settings.cudnn_benchmark);
  EXPECT_EQ(read.settings.sample_period_s, 0.2);
  EXPECT_EQ(read.settings.data_workers, 5);
  EXPECT_EQ(read.weights, WeightSource::file);
  ASSERT_EQ(read.values.size(), 2U);
  EXPECT_EQ(read.values.at("layer1.conv.weight").file, "/data/net.onnx");
  EXPECT_EQ(read.values.at("layer1.conv.weight").offset, 4096);
  EXPECT_EQ(read.values.at("layer1.conv.bias").file, "/data/net.bin");
  EXPECT_EQ(read.values.at("layer1.conv.bias").offset, 5'000'000'000);
  EXPECT_EQ(read.outputs, "/tmp/outputs.txt");
}

TEST(Case, HasTheGraphInItsTextForm) {
  const Json json = file_json(full_case());
  EXPECT_EQ(json["kind"], "case");
  EXPECT_EQ(json["schema_version"], schema_version);
  EXPECT_EQ(json["weights"], "file");
  EXPECT_EQ(json["settings"]["warmup_time_s"], 3.25);
  EXPECT_EQ(json["identity"]["graph"], R"(graph net
input %input f32[2x3x8x8]
parameter %layer1.conv.weight f32[4x3x3x3]
parameter %layer1.conv.bias f32[4]
layer1.conv = conv kernel=[3,3] stride=[1,1] padding_begin=[1,1] padding_end=[1,1] dilation=[1,1] (%input, %layer1.conv.weight, %layer1.conv.bias) -> %layer1.conv f32[2x4x8x8]
layer1.relu = unary function=relu inplace=true (%layer1.conv) -> %layer1.relu f32[2x4x8x8]
outputs %layer1.relu
)");
}

TEST(Case, ReadsBackEveryWeightSourceAndNoOutputs) {
  for (const WeightSource source :
       {WeightSource::random, WeightSource::formula, WeightSource::file, WeightSource::he}) {
    Case request = full_case();
    request.weights = source;
    request.values.clear();
    request.outputs.reset();
    const Case read = from_file_json<Case>(file_json(request), "case.json");
    EXPECT_EQ(read.weights, source);
    EXPECT_TRUE(read.values.empty());
    EXPECT_FALSE(read.outputs.has_value());
  }
}

TEST(Case, KeepsTheLargestSeed) {
  Case request = full_case();
  request.settings.seed = std::numeric_limits<std::uint64_t>::max();
  const Json json = parse_json(file_json(request).dump(), "case.json");
  EXPECT_EQ(from_file_json<Case>(json, "case.json").settings.seed, 18446744073709551615U);
}

TEST(Case, AnotherFileIsRefused) {
  const std::string message = "case.json: this is not a request of the kind case of Rooflab";
  EXPECT_EQ(error_after([](Json& json) { json["kind"] = "record"; }), message);
  EXPECT_EQ(error_after([](Json& json) { json.erase("kind"); }), message);
  for (const int version : {1, 2, 4}) {
    EXPECT_EQ(error_after([version](Json& json) { json["schema_version"] = version; }),
              format("case.json: this request of the kind case has schema version {}, this Rooflab"
                     " reads 3",
                     version));
  }
  EXPECT_EQ(error_after([](Json& json) { json = Json::array(); }),
            "case.json: the file must hold a JSON object");
}

TEST(Case, FaultsNameTheirKey) {
  EXPECT_EQ(error_after([](Json& json) { json.erase("settings"); }),
            "case.json: 'settings' is missing");
  EXPECT_EQ(error_after([](Json& json) { json.erase("identity"); }),
            "case.json: 'identity' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["settings"].erase("threads"); }),
            "case.json: 'settings.threads' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["settings"]["iterations"] = 1.5; }),
            "case.json: 'settings.iterations' must be a whole number");
  EXPECT_EQ(error_after([](Json& json) { json["settings"]["seed"] = -1; }),
            "case.json: 'settings.seed' must be a whole number of 0 or more");
  EXPECT_EQ(error_after([](Json& json) { json["identity"]["batch"] = "two"; }),
            "case.json: 'identity.batch' must be a whole number");
  EXPECT_EQ(error_after([](Json& json) { json["weights"] = "zero"; }),
            "case.json: 'weights' must be one of random, formula, file, he");
  EXPECT_EQ(error_after([](Json& json) { json["value_files"] = Json::array(); }),
            "case.json: 'value_files' must be an object");
  EXPECT_EQ(error_after([](Json& json) { json["value_files"]["layer1.conv.bias"].erase("file"); }),
            "case.json: 'value_files.layer1.conv.bias.file' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["outputs"] = 5; }),
            "case.json: 'outputs' must be a text");
}

TEST(Case, AFaultInTheGraphIsLocated) {
  EXPECT_THAT(error_after([](Json& json) {
                json["identity"]["graph"] = "graph net\ninput %input f32[2x3\n";
              }),
              StartsWith("case.json (graph):2:"));
}

}  // namespace
}  // namespace rooflab::engine
