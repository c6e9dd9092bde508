// ONNX files with their own weights against what PyTorch computed for the modules that were
// exported. tests/data/torch/make_onnx.py made `small`, tools/gpu/onnx_outputs.py the others.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "../unit/onnx/onnx_writer.hpp"
#include "number_file.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/torch";

TEST(OnnxWeights, OutputsEqualThoseOfTheExportedModule) {
  const onnx::ImportResult imported = onnx::read_onnx(data / "small.onnx", {.with_places = true});
  ASSERT_TRUE(imported.without_values.empty());
  Case request = short_case("squeezenet1_0", {});
  request.graph = imported.graph;
  request.identity.model = "small.onnx";
  request.identity.batch = 2;
  request.weights = WeightSource::file;
  for (const auto& [name, place] : imported.places) {
    request.values[name] = {place.file, place.offset};
  }
  request.bytes = imported.bytes;
  request.values["input"] = {data / "small-input.bin", 0};
  const fs::path file = fs::temp_directory_path() / format("rooflab-small-{}", ::getpid());
  request.outputs = file;

  const record::Record result = run(request);
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  const std::vector<double> actual = numbers_in(file);
  fs::remove(file);
  const std::vector<double> expected = numbers_in(data / "small-output.txt");
  ASSERT_EQ(expected.size(), 20U);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
  }
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
  const onnx::ImportResult imported =
      onnx::read_onnx_bytes(model(graph, 18), "indexing.onnx", {.with_places = true});
  ASSERT_TRUE(imported.unknown.empty() && imported.value_notes.empty());
  Case request = short_case("squeezenet1_0", {});
  request.graph = imported.graph;
  request.weights = WeightSource::file;
  request.bytes = imported.bytes;
  const fs::path folder = fs::temp_directory_path();
  const fs::path file = folder / format("rooflab-indexing-{}.bin", ::getpid());
  write_file_atomically(file, model(graph, 18));
  for (const auto& [name, place] : imported.places) request.values[name] = {file, place.offset};
  const std::vector<float> x = {0, 1, 2, 3, 4, 5};
  request.bytes["x"] = std::string(reinterpret_cast<const char*>(x.data()), x.size() * 4);
  request.outputs = folder / format("rooflab-indexing-{}.txt", ::getpid());
  const record::Record result = run(request);
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  std::vector<double> expected = {2,  0, 4, 5,  // columns 2 0 / 1 2
                                  2,  3,        // (0, 2), (1, 0)
                                  10, 1, 3, 3, 104, 1005, 0, 1, 2, 7, 8, 9, 0, 1, 3, 3, 7, 12};
  for (int hot = 0; hot < 6; ++hot) {
    for (int i = 0; i < 6; ++i) expected.push_back(i == hot ? 1 : 0);
  }
  EXPECT_EQ(numbers_in(*request.outputs), expected);
  fs::remove(*request.outputs);
  fs::remove(file);
}

/// Files beside one another that tools/gpu/onnx_outputs.py wrote.
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
