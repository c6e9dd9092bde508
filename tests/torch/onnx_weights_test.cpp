// ONNX files with their own weights against what PyTorch computed for the modules that were
// exported. tests/data/torch/make_onnx.py made `small`, make_recurrent_onnx.py `recurrent`,
// tools/gpu/onnx_outputs.py the others.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "../unit/onnx/onnx_writer.hpp"
#include "base/format.hpp"
#include "number_file.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/torch";

/// The worker's outputs for an exported module with its own weights are PyTorch's.
void expect_outputs_of_module(const std::string& name, std::size_t count) {
  const onnx::ImportResult imported =
      onnx::read_onnx(data / (name + ".onnx"), {.with_places = true});
  ASSERT_TRUE(imported.without_values.empty());
  Case request = short_case("squeezenet1_0", {});
  request.graph = imported.graph;
  request.identity.model = name + ".onnx";
  request.identity.batch = 2;
  request.weights = WeightSource::file;
  for (const auto& [value, place] : imported.places) {
    request.values[value] = {place.file, place.offset};
  }
  request.bytes = imported.bytes;
  request.values["input"] = {data / (name + "-input.bin"), 0};
  const fs::path file = fs::temp_directory_path() / format("rooflab-{}-{}", name, ::getpid());
  request.outputs = file;

  const record::Record result = run(request);
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  const std::vector<double> actual = numbers_in(file);
  fs::remove(file);
  const std::vector<double> expected = numbers_in(data / (name + "-output.txt"));
  ASSERT_EQ(expected.size(), count);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
  }
}

TEST(OnnxWeights, OutputsEqualThoseOfTheExportedModule) { expect_outputs_of_module("small", 20); }

// The gates of the file have another order than PyTorch's; layers of a module are one op.
TEST(OnnxWeights, RecurrentLayersEqualThoseOfTheExportedModules) {
  expect_outputs_of_module("recurrent", 6 * 2 * 3);
  std::vector<std::int64_t> layers;
  for (const graph::Node& node : onnx::read_onnx(data / "recurrent.onnx").graph.nodes) {
    if (const auto* op = std::get_if<graph::Recurrent>(&node.op)) layers.push_back(op->layers);
  }
  EXPECT_EQ(layers, (std::vector<std::int64_t>{2, 3, 1}));
}

/// The values of a model's outputs for x, as the worker computes them with the model's own weights.
std::vector<double> outputs_of(const std::string& model_bytes, const std::vector<float>& x,
                               onnx::ImportResult& imported) {
  imported = onnx::read_onnx_bytes(model_bytes, "m.onnx", {.with_places = true});
  Case request = short_case("squeezenet1_0", {});
  request.graph = imported.graph;
  request.weights = WeightSource::file;
  request.bytes = imported.bytes;
  const fs::path folder = fs::temp_directory_path();
  const fs::path file = folder / format("rooflab-outputs-{}.onnx", ::getpid());
  write_file_atomically(file, model_bytes);
  for (const auto& [name, place] : imported.places) request.values[name] = {file, place.offset};
  request.bytes["x"] = std::string(reinterpret_cast<const char*>(x.data()), x.size() * 4);
  request.outputs = folder / format("rooflab-outputs-{}.txt", ::getpid());
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::ok) << result.message;
  std::vector<double> numbers = numbers_in(*request.outputs);
  fs::remove(*request.outputs);
  fs::remove(file);
  return numbers;
}

// 0 1 2 / 3 4 5: the results of each op by hand, as the operators' specifications define them.
TEST(OnnxWeights, IndexingOpsRun) {
  using namespace onnx::writer;
  const auto table = [](const std::string& name, const Dims& dims,
                        const std::vector<std::int64_t>& values) {
    std::string raw(values.size() * sizeof(std::int64_t), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    return tensor(name, int64_type, dims, raw);
  };
  const auto numbers = [](const std::string& name, const Dims& dims,
                          const std::vector<float>& values) {
    std::string raw(values.size() * sizeof(float), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    return tensor(name, float_type, dims, raw);
  };
  const std::string axis = attribute("axis", std::int64_t{1});
  GraphWriter graph;
  graph.input("x", {2, 3})
      .initializer(table("columns", {2, 2}, {2, 0, 1, -1}))
      .initializer(table("places", {2, 2}, {0, 2, 1, 0}))
      .initializer(table("row", {1, 1}, {-1}))
      .initializer(numbers("ones", {2, 2}, {1, 10, 100, 1000}))
      .initializer(numbers("other", {1, 3}, {7, 8, 9}))
      .initializer(integers("one", {1}, true))
      .initializer(integers("depth", {6}, true))
      .initializer(floats("values", {0.0F, 1.0F}))
      .add({"GatherElements", {"x", "columns"}, {"y1"}, {axis}})
      .add({"GatherND", {"x", "places"}, {"y2"}})
      .add({"ScatterElements",
            {"x", "columns", "ones"},
            {"y3"},
            {axis, attribute_text("reduction", "add")}})
      .add({"ScatterND", {"x", "row", "other"}, {"y4"}, {attribute_text("reduction", "max")}})
      .add({"CumSum", {"x", "one"}, {"y5"}})
      .add({"Cast", {"x"}, {"whole"}, {attribute("to", std::int64_t{int64_type})}})
      .add({"OneHot", {"whole", "depth", "values"}, {"y6"}});
  for (const char* const name : {"y1", "y2", "y3", "y4", "y5", "y6"}) graph.output(name);
  onnx::ImportResult imported;
  const std::vector<double> actual = outputs_of(model(graph, 18), {0, 1, 2, 3, 4, 5}, imported);
  ASSERT_TRUE(imported.unknown.empty() && imported.value_notes.empty());
  std::vector<double> expected = {2,  0, 4, 5,  // columns 2 0 / 1 2
                                  2,  3,        // (0, 2), (1, 0)
                                  10, 1, 3, 3, 104, 1005, 0, 1, 2, 7, 8, 9, 0, 1, 3, 3, 7, 12};
  for (int hot = 0; hot < 6; ++hot) {
    for (int i = 0; i < 6; ++i) expected.push_back(i == hot ? 1 : 0);
  }
  EXPECT_EQ(actual, expected);
}

// What exporters take apart, and the importer joins, of x [1, 3, 2]: the expected values are those
// of the file's own ops, one after the other.
TEST(OnnxWeights, JoinedOpsComputeWhatTheFileSays) {
  using namespace onnx::writer;
  const double hidden = -1e9;
  const std::vector<float> x = {0.5F, -1.0F, 2.0F, 0.25F, -0.75F, 1.5F};
  const std::vector<float> weights = {1.0F, 2.0F, -3.0F, 0.5F};  // [in, out]
  std::string mask(9 * sizeof(float), '\0');
  std::string matrix(4 * sizeof(float), '\0');
  for (int i = 0; i < 9; ++i) {
    const float value = i % 3 > i / 3 ? static_cast<float>(hidden) : 0.0F;
    std::memcpy(mask.data() + i * 4, &value, 4);
  }
  std::memcpy(matrix.data(), weights.data(), matrix.size());
  const std::vector<std::string> last = {attribute("axes", Dims{-1})};
  GraphWriter graph;
  graph.input("x", {1, 3, 2})
      .initializer(integers("heads", {1, 1, 3, 2}))
      .initializer(floats("root", {0.84089642F}, true))  // 2^(-1/4)
      .initializer(tensor("mask", float_type, {3, 3}, mask))
      .initializer(tensor("fc.weight", float_type, {2, 2}, matrix))
      .initializer(floats("fc.bias", {10.0F, -20.0F}))
      .initializer(floats("sqrt2", {1.41421356F}, true))
      .initializer(floats("one", {1.0F}, true))
      .initializer(floats("half", {0.5F}, true))
      .initializer(floats("two", {2.0F}, true))
      .initializer(floats("epsilon", {0.125F}, true))
      .initializer(floats("norm.weight", {3.0F, 4.0F}))
      .initializer(floats("norm.bias", {5.0F, 6.0F}))
      .add({"Reshape", {"x", "heads"}, {"h"}})
      .add({"Transpose", {"h"}, {"ht"}, {attribute("perm", Dims{0, 1, 3, 2})}})
      .add({"Mul", {"h", "root"}, {"q"}})
      .add({"Mul", {"ht", "root"}, {"k"}})
      .add({"MatMul", {"q", "k"}, {"scores"}})
      .add({"Add", {"scores", "mask"}, {"masked"}})
      .add({"Softmax", {"masked"}, {"weights"}, {attribute("axis", std::int64_t{-1})}})
      .add({"MatMul", {"weights", "h"}, {"y1"}})
      .add({"MatMul", {"x", "fc.weight"}, {"product"}})
      .add({"Add", {"product", "fc.bias"}, {"y2"}})
      .add({"Div", {"x", "sqrt2"}, {"g1"}})
      .add({"Erf", {"g1"}, {"g2"}})
      .add({"Add", {"g2", "one"}, {"g3"}})
      .add({"Mul", {"x", "g3"}, {"g4"}})
      .add({"Mul", {"g4", "half"}, {"y3"}})
      .add({"Sigmoid", {"x"}, {"s"}})
      .add({"Mul", {"x", "s"}, {"y4"}})
      .add({"ReduceMean", {"x"}, {"m"}, last})
      .add({"Sub", {"x", "m"}, {"d"}})
      .add({"Pow", {"d", "two"}, {"d2"}})
      .add({"ReduceMean", {"d2"}, {"v"}, last})
      .add({"Add", {"v", "epsilon"}, {"ve"}})
      .add({"Sqrt", {"ve"}, {"r"}})
      .add({"Div", {"d", "r"}, {"n"}})
      .add({"Mul", {"n", "norm.weight"}, {"nw"}})
      .add({"Add", {"nw", "norm.bias"}, {"y5"}})
      .add({"Dropout", {"x"}, {"y6"}});
  for (const char* const name : {"y1", "y2", "y3", "y4", "y5", "y6"}) graph.output(name);
  onnx::ImportResult imported;
  const std::vector<double> actual = outputs_of(model(graph, 13), x, imported);
  std::vector<std::string> ops;
  for (const graph::Node& node : imported.graph.nodes) ops.push_back(name_of(node.op));
  EXPECT_EQ(join(ops, " "), "reshape attention linear gelu silu layer_norm dropout");

  std::vector<double> expected;
  for (std::size_t query = 0; query < 3; ++query) {
    double total = 0;
    std::array<double, 2> mixed = {0, 0};
    for (std::size_t key = 0; key <= query; ++key) {
      const double score =
          (x[2 * query] * x[2 * key] + x[2 * query + 1] * x[2 * key + 1]) * (1.0 / std::sqrt(2.0));
      total += std::exp(score);
      for (std::size_t i : {0, 1}) mixed[i] += std::exp(score) * x[2 * key + i];
    }
    for (const double value : mixed) expected.push_back(value / total);
  }
  for (std::size_t row = 0; row < 3; ++row) {
    expected.push_back(x[2 * row] * 1.0 + x[2 * row + 1] * -3.0 + 10.0);
    expected.push_back(x[2 * row] * 2.0 + x[2 * row + 1] * 0.5 - 20.0);
  }
  for (const double value : x) {
    expected.push_back(0.5 * value * (1.0 + std::erf(value / std::sqrt(2.0))));
  }
  for (const double value : x) expected.push_back(value / (1.0 + std::exp(-value)));
  for (std::size_t row = 0; row < 3; ++row) {
    const double centred = (x[2 * row] - x[2 * row + 1]) / 2.0;  // of two elements: d and -d
    const double normal = centred / std::sqrt(centred * centred + 0.125);
    expected.push_back(normal * 3.0 + 5.0);
    expected.push_back(-normal * 4.0 + 6.0);
  }
  for (const double value : x) expected.push_back(value);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

/// Files of one folder that tools/gpu/onnx_outputs.py wrote.
struct Exported {
  std::string name;
  fs::path folder;
};

/// Those of the folder that the environment names, else those that are stored.
std::vector<Exported> exported_networks() {
  const char* const folder = std::getenv("ROOFLAB_ONNX_OUTPUTS");
  if (folder == nullptr) return {{"indexing-script", data}};
  std::vector<Exported> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") found.push_back({entry.path().stem(), folder});
  }
  return found;
}

class OnnxOutputs : public testing::TestWithParam<Exported> {
 protected:
  /// What the worker writes for a file with its own weights.
  static std::vector<double> written(Phase phase, Precision precision, const std::string& prefix) {
    const fs::path stem = GetParam().folder / GetParam().name;
    const fs::path input = stem.string() + "-input.bin";
    const onnx::ImportResult imported =
        onnx::read_onnx(stem.string() + ".onnx", {.with_places = true});
    EXPECT_TRUE(imported.without_values.empty() && imported.unknown.empty());
    EXPECT_TRUE(imported.value_notes.empty()) << join(texts_of(imported.value_notes), "; ");
    Case request = short_case("squeezenet1_0", {}, phase);
    request.graph = imported.graph;
    request.identity.model = GetParam().name;
    request.identity.batch = imported.graph.batch();
    request.identity.precision = precision;
    request.weights = WeightSource::file;
    for (const auto& [name, place] : imported.places) {
      request.values[name] = {place.file, place.offset};
    }
    request.bytes = imported.bytes;
    request.values["input"] = {input, 0};
    // The labels of training come from the device's random numbers; PyTorch's losses were taken on
    // a CPU.
    if (phase != Phase::training &&
        std::ranges::any_of(describe(ROOFLAB_TORCH_WORKER).devices,
                            [](const auto& device) { return device.kind == "cuda"; })) {
      request.identity.device = "cuda:0";
    }
    const fs::path file = fs::temp_directory_path() /
                          format("rooflab-{}-{}-{}", GetParam().name, name_of(phase), ::getpid());
    request.outputs = file;
    const record::Record result = run(request);
    EXPECT_EQ(result.status, record::Status::ok) << result.message;
    Numbers numbers = numbers_in(file, prefix);
    fs::remove(file);
    return numbers;
  }

  static std::vector<double> stored(const std::string& what) {
    return numbers_in(GetParam().folder / (GetParam().name + "-" + what + ".txt"));
  }
};

TEST_P(OnnxOutputs, EqualThoseOfPyTorch) {
  const std::vector<double> expected = stored("output");
  ASSERT_FALSE(expected.empty());
  const std::vector<double> actual = written(Phase::inference, Precision::fp32, "");
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 0.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * largest) << i;
  }
}

// The second loss depends on all gradients.
TEST_P(OnnxOutputs, LossesEqualThoseOfPyTorch) {
  const std::vector<double> expected = stored("losses");
  if (expected.empty()) GTEST_SKIP() << "no losses are stored";
  const std::vector<double> actual = written(Phase::training, Precision::fp64, "loss ");
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-6 * expected[i]) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, OnnxOutputs, testing::ValuesIn(exported_networks()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(OnnxWeights, AMissingParameterIsNamed) {
  const onnx::ImportResult imported = onnx::read_onnx(data / "small.onnx", {});
  Case request = short_case("squeezenet1_0", {});
  request.graph = imported.graph;
  request.weights = WeightSource::file;
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::failed);
  EXPECT_NE(result.message.find("the file does not hold the data of"), std::string::npos)
      << result.message;
}

}  // namespace
}  // namespace rooflab::engine
