// At least one network of every family runs. framework_outputs_test.cpp runs the families that have
// stored outputs; here the smallest of each other one does.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "rooflab/base/error.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

bool has_stored_outputs(const std::string& model) {
  return std::filesystem::exists(std::filesystem::path(ROOFLAB_SOURCE_DIR) / "tests/data/torch" /
                                 (model + "-inference.txt"));
}

/// models() has each family's smallest first.
std::vector<std::string> one_of_each_other_family() {
  std::set<std::string> done;
  for (const zoo::ModelInfo& model : zoo::models()) {
    if (has_stored_outputs(model.name)) done.insert(model.family);
  }
  std::vector<std::string> names;
  for (const zoo::ModelInfo& model : zoo::models()) {
    if (done.insert(model.family).second) names.push_back(model.name);
  }
  return names;
}

/// With the smallest image that the network takes.
Case smallest_case(const std::string& model) {
  for (const std::int64_t size : {64, 96, 128}) {
    try {
      return short_case(model, {.batch = 1, .image_size = size});
    } catch (const Error&) {
    }
  }
  return short_case(model, {.batch = 1});
}

class ModelFamilies : public testing::TestWithParam<std::string> {};

TEST_P(ModelFamilies, Run) {
  const Case request = smallest_case(GetParam());
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::ok) << result.message;
  ASSERT_TRUE(result.timing.has_value());
  EXPECT_EQ(result.timing->steps_s.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Networks, ModelFamilies, testing::ValuesIn(one_of_each_other_family()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace rooflab::engine
