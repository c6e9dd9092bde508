// Single ops in the worker, against values worked out by hand: what each moves, and (by the loss
// of three steps) where its gradients go.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/format.hpp"
#include "number_file.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

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
  Numbers numbers = numbers_in(file);
  fs::remove(file);
  return numbers;
}

// Rows 0 1 2 / 3 4 5: down by one, then left by one.
TEST(OpValues, RollShiftsOneAxisAfterTheOther) {
  EXPECT_EQ(outputs_of("graph roll\ninput %x f32[2x3]\n"
                       "roll = roll shifts=[1,-1] axes=[0,1] (%x) -> %y f32[2x3]\noutputs %y\n",
                       {{"x", count_to(6)}}),
            (Numbers{4, 5, 3, 1, 2, 0}));
}

// Data 0 1 2 / 3 4 5 / 6 7 8; down the columns, the two examples of ONNX GatherElements, and the
// fifth of GatherND: one row of each 2 x 2 sample. The other four of GatherND are its first cases.
TEST(OpValues, GatherElementsAndCoordinates) {
  EXPECT_EQ(outputs_of("graph g\ninput %x f32[3x3]\nconstant %i i64[2x3]\n"
                       "g = gather_elements form=elements (%x, %i) -> %y f32[2x3]\noutputs %y\n",
                       {{"x", count_to(9)}, {"i", indices({1, 2, 0, 2, 0, 0})}}),
            (Numbers{3, 7, 2, 6, 1, 2}));
  EXPECT_EQ(outputs_of("graph g\ninput %x f32[2x2]\nconstant %i i64[2x2]\n"
                       "g = gather_elements form=elements axis=1 (%x, %i) -> %y f32[2x2]\n"
                       "outputs %y\n",
                       {{"x", floats({1, 2, 3, 4})}, {"i", indices({0, 0, 1, 0})}}),
            (Numbers{1, 1, 4, 3}));
  const auto coordinates = [](const std::string& data, const std::string& shape,
                              const std::vector<std::int64_t>& index, const std::string& result,
                              int batch_dims = 0) {
    std::size_t count = 1;
    for (const char c : data) count *= c == 'x' ? 1U : static_cast<std::size_t>(c - '0');
    return outputs_of(format("graph g\ninput %x f32[{}]\nconstant %i i64[{}]\n"
                             "g = gather_elements form=nd batch_dims={} (%x, %i) -> %y f32[{}]\n"
                             "outputs %y\n",
                             data, shape, batch_dims, result),
                      {{"x", count_to(count)}, {"i", indices(index)}});
  };
  EXPECT_EQ(coordinates("2x2", "2x2", {0, 0, 1, 1}, "2"), (Numbers{0, 3}));
  EXPECT_EQ(coordinates("2x2", "2x1", {1, 0}, "2x2"), (Numbers{2, 3, 0, 1}));
  EXPECT_EQ(coordinates("2x2x2", "2x2", {0, 1, 1, 0}, "2x2"), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(coordinates("2x2x2", "2x1x2", {0, 1, 1, -2}, "2x1x2"), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(coordinates("2x2x2", "2x1", {1, 0}, "2x2", 1), (Numbers{2, 3, 4, 5}));
}

// Without a file a constant holds what the graph says, whatever the weights are.
TEST(OpValues, ConstantsHoldWhatTheGraphSays) {
  EXPECT_EQ(outputs_of("graph g\ninput %x f32[4]\nconstant %which i64[2x1] = [3,0]\n"
                       "constant %scale f32[] = [0.5]\n"
                       "g = gather_elements form=nd (%x, %which) -> %y f32[2]\n"
                       "m = binary function=mul (%y, %scale) -> %z f32[2]\noutputs %z\n",
                       {{"x", floats({1, 2, 3, 4})}}),
            (Numbers{2, 0.5}));
}

// The first two examples of ONNX ScatterElements, and its reductions of 1 2 3 4 5: element 1 meets
// 1.1 and 2.1.
TEST(OpValues, ScatterElements) {
  EXPECT_EQ(outputs_of("graph g\ninput %x f32[3x3]\nconstant %i i64[2x3]\nconstant %u f32[2x3]\n"
                       "s = scatter form=elements reduction=none (%x, %i, %u) -> %y f32[3x3]\n"
                       "outputs %y\n",
                       {{"x", floats(std::vector<float>(9, 0.0F))},
                        {"i", indices({1, 0, 2, 0, 2, 1})},
                        {"u", floats({1, 1.5, 1.25, 2, 2.5, 2.25})}}),
            (Numbers{2, 1.5, 0, 1, 0, 2.25, 0, 2.5, 1.25}));
  const auto along_one = [](const std::string& reduction, const std::vector<float>& updates) {
    return outputs_of(format("graph g\ninput %x f32[1x5]\nconstant %i i64[1x2]\n"
                             "constant %u f32[1x2]\n"
                             "s = scatter form=elements axis=1 reduction={} (%x, %i, %u) -> "
                             "%y f32[1x5]\noutputs %y\n",
                             reduction),
                      {{"x", floats({1, 2, 3, 4, 5})},
                       {"i", indices({1, reduction == "none" ? 3 : 1})},
                       {"u", floats(updates)}});
  };
  EXPECT_EQ(along_one("none", {1.5, 2.5}), (Numbers{1, 1.5, 3, 2.5, 5}));
  EXPECT_EQ(along_one("add", {1.5, 2.5}), (Numbers{1, 6, 3, 4, 5}));
  EXPECT_EQ(along_one("mul", {1.5, 2.5}), (Numbers{1, 7.5, 3, 4, 5}));
  EXPECT_EQ(along_one("maximum", {1.5, 2.5}), (Numbers{1, 2.5, 3, 4, 5}));
  EXPECT_EQ(along_one("minimum", {1.5, 2.5}), (Numbers{1, 1.5, 3, 4, 5}));
}

// The first example of ONNX ScatterND (1 .. 8 with 9 10 11 12 at 4 3 1 7), and the reductions over
// rows 0 1 / 2 3 / 4 5 at rows -1 and 0.
TEST(OpValues, ScatterSlices) {
  EXPECT_EQ(outputs_of("graph g\ninput %x f32[8]\nconstant %i i64[4x1]\nconstant %u f32[4]\n"
                       "s = scatter form=nd reduction=none (%x, %i, %u) -> %y f32[8]\noutputs %y\n",
                       {{"x", floats({1, 2, 3, 4, 5, 6, 7, 8})},
                        {"i", indices({4, 3, 1, 7})},
                        {"u", floats({9, 10, 11, 12})}}),
            (Numbers{1, 11, 3, 10, 9, 6, 7, 12}));
  const auto rows = [](const std::string& reduction) {
    return outputs_of(format("graph g\ninput %x f32[3x2]\nconstant %i i64[2x1]\n"
                             "constant %u f32[2x2]\n"
                             "s = scatter form=nd reduction={} (%x, %i, %u) -> %y f32[3x2]\n"
                             "outputs %y\n",
                             reduction),
                      {{"x", count_to(6)}, {"i", indices({-1, 0})}, {"u", floats({3, 6, 2, -1})}});
  };
  EXPECT_EQ(rows("none"), (Numbers{2, -1, 2, 3, 3, 6}));
  EXPECT_EQ(rows("add"), (Numbers{2, 0, 2, 3, 7, 11}));
  EXPECT_EQ(rows("mul"), (Numbers{0, -1, 2, 3, 12, 30}));
  EXPECT_EQ(rows("maximum"), (Numbers{2, 1, 2, 3, 4, 6}));
  EXPECT_EQ(rows("minimum"), (Numbers{0, -1, 2, 3, 3, 5}));
}

}  // namespace
}  // namespace rooflab::engine
