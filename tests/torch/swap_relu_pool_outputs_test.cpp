// The rewrite `swap-relu-maxpool` keeps every bit: max and ReLU only choose among numbers.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

struct Swap {
  std::string model;
  int pairs;  ///< ReLU before max pooling, in the published network
};

class SwapReluPoolOutputs : public testing::TestWithParam<Swap> {
 protected:
  static std::string outputs_of(Case request) {
    const fs::path file = fs::temp_directory_path() / format("rooflab-swap-{}", ::getpid());
    request.weights = WeightSource::formula;
    request.outputs = file;
    const record::Record result = run(request);
    EXPECT_EQ(result.status, record::Status::ok) << result.message;
    std::string text = read_file(file);
    fs::remove(file);
    return text;
  }
};

TEST_P(SwapReluPoolOutputs, AreTheSame) {
  Case request = short_case(GetParam().model, {.batch = 1, .image_size = 64});
  const std::string before = outputs_of(request);
  ASSERT_TRUE(before.starts_with("output 1000\n")) << before.substr(0, 100);
  graph::SwapReluPoolResult swapped = graph::swap_relu_pool(request.graph);
  ASSERT_EQ(swapped.swapped, GetParam().pairs);
  request.graph = std::move(swapped.graph);
  EXPECT_TRUE(outputs_of(request) == before);
}

INSTANTIATE_TEST_SUITE_P(Networks, SwapReluPoolOutputs,
                         testing::Values(Swap{"alexnet", 3}, Swap{"vgg16", 5}),
                         [](const auto& test) { return test.param.model; });

}  // namespace
}  // namespace rooflab::engine
