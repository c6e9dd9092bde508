// An ONNX file with its own weights against what PyTorch computed for the module that was exported.
// tests/data/torch/make_onnx.py made the files.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "number_file.hpp"
#include "rooflab/base/format.hpp"
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
