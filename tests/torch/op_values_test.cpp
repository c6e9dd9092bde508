// Single ops in the worker, against values worked out by hand: what each moves, and (by the loss
// of three steps) where its gradients go.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/text_form.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

/// Dense data of a value.
template <class Element>
std::string bytes_of(const std::vector<Element>& elements) {
  std::string bytes(elements.size() * sizeof(Element), '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

std::string floats(const std::vector<float>& elements) { return bytes_of(elements); }
std::string indices(const std::vector<std::int64_t>& elements) { return bytes_of(elements); }

/// 0, 1, 2, ...
std::string count_to(std::size_t end) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < end; ++i) numbers.push_back(static_cast<float>(i));
  return floats(numbers);
}

/// The worker's outputs for values that are given.
Numbers outputs_of(const std::string& text, std::map<std::string, std::string> values) {
  const fs::path file = fs::temp_directory_path() / format("rooflab-op-values-{}", ::getpid());
  Case request;
  request.graph = graph::parse_text(text, "test");
  request.identity.model = request.graph.name;
  request.identity.device = "cpu";
  request.settings.iterations = 1;
  request.settings.min_time_s = request.settings.max_time_s = 0.0;
  request.settings.warmup_time_s = 0.0;
  request.weights = WeightSource::file;
  request.bytes = std::move(values);
  request.outputs = file;
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::ok) << result.message;
  if (result.status != record::Status::ok) return {};
  std::istringstream lines(read_file(file));
  fs::remove(file);
  Numbers numbers;
  for (std::string line; std::getline(lines, line);) {
    if (const auto number = parse_number(line)) numbers.push_back(*number);
  }
  return numbers;
}

// Rows 0 1 2 / 3 4 5: down by one, then left by one.
TEST(OpValues, RollShiftsOneAxisAfterTheOther) {
  EXPECT_EQ(outputs_of("graph roll\ninput %x f32[2x3]\n"
                       "roll = roll shifts=[1,-1] axes=[0,1] (%x) -> %y f32[2x3]\noutputs %y\n",
                       {{"x", count_to(6)}}),
            (Numbers{4, 5, 3, 1, 2, 0}));
}

}  // namespace
}  // namespace rooflab::engine
