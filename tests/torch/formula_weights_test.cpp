// The formula of the weights, against FNV-1a and splitmix64 written down here once more and held to
// their published values.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/format.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using graph::GraphBuilder;
using graph::ValueId;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

/// The next number of the generator; Vigna's splitmix64.c.
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Number `index` of the value `name`: the upper 24 bits of a generator begun at hash + index.
double uniform(std::string_view name, std::uint64_t index) {
  std::uint64_t state = fnv1a(name) + index;
  return static_cast<double>(next(state) >> 40U) / 8388608.0 - 1.0;
}

// draft-eastlake-fnv, "FNV test vectors"; splitmix64 of seed 1234567 as Rosetta Code lists it.
TEST(FormulaWeights, ThisTestsOwnGeneratorsAreThePublishedOnes) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
  std::uint64_t state = 1234567;
  EXPECT_EQ(next(state), 6457827717110365317U);
  EXPECT_EQ(next(state), 3203168211198807973U);
  EXPECT_EQ(next(state), 9817491932198370423U);
}

/// What the worker computes for a network, with weights of the formula.
std::vector<double> outputs_of(const graph::Graph& network,
                               WeightSource source = WeightSource::formula) {
  const fs::path file = fs::temp_directory_path() / format("rooflab-formula-{}", ::getpid());
  Case request;
  request.graph = network;
  request.identity.model = network.name;
  request.identity.device = "cpu";
  request.settings.iterations = 1;
  request.settings.min_time_s = request.settings.max_time_s = 0.0;
  request.settings.warmup_time_s = 0.0;
  request.weights = source;
  request.outputs = file;
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::ok) << result.message;
  std::istringstream lines(read_file(file));
  fs::remove(file);
  std::vector<double> values;
  for (std::string line; std::getline(lines, line);) {
    if (const auto value = parse_number(line)) values.push_back(*value);
  }
  return values;
}

// u has 24 bits: a float holds it exactly, and so do nine digits.
TEST(FormulaWeights, AnInputIsTheUniformNumberItself) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.input("a", {2, 8}), graph::UnaryFunction::neg, "neg");
  const std::vector<double> values = outputs_of(std::move(b).finish({x}));
  ASSERT_EQ(values.size(), 16U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(static_cast<float>(values[i]), static_cast<float>(-uniform("a", i))) << i;
  }
}

// One column: y = x * w + b with w = u * sqrt(6 / 1) and b = u / 10.
TEST(FormulaWeights, ScaleWeightsByTheirFanInAndBiasesByATenth) {
  GraphBuilder b("net");
  const ValueId x = b.linear(b.input("a", {1, 1}), "fc", 3);
  const std::vector<double> values = outputs_of(std::move(b).finish({x}));
  ASSERT_EQ(values.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(
        values[i],
        uniform("a", 0) * uniform("fc.weight", i) * std::sqrt(6.0) + uniform("fc.bias", i) / 10.0,
        1e-6);
  }
}

// Running mean m and variance v: y = (x - m) / sqrt(v + 1e-5) * scale + shift; v and scale are
// 1 + u / 10, m and shift u / 10.
TEST(FormulaWeights, KeepScalesAndVariancesNearOne) {
  GraphBuilder b("net");
  const ValueId x = b.batch_norm(b.input("a", {1, 2, 1, 1}), "bn");
  const graph::Graph network = std::move(b).finish({x});
  const std::vector<double> values = outputs_of(network);
  ASSERT_EQ(values.size(), 2U);
  const auto of = [&](std::size_t operand, std::size_t i) {
    return uniform(network.value(network.nodes[0].inputs[operand]).name, i) / 10.0;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const double normal = (uniform("a", i) - of(3, i)) / std::sqrt(1.0 + of(4, i) + 1e-5);
    EXPECT_NEAR(values[i], normal * (1.0 + of(1, i)) + of(2, i), 1e-6);
  }
}

// 64 filters of 3 x 3: fan out 576, so that the standard deviation is sqrt(2 / 576) = 0.0589 (a
// uniform weight by its fan in of 144 has 0.0481); of 9216 values it is known to 1 %.
TEST(HeWeights, AreNormalByTheFanOutOfAConvolution) {
  GraphBuilder b("net");
  const ValueId weight = b.parameter("conv.weight", {64, 16, 3, 3});
  const ValueId seen = b.unary(weight, graph::UnaryFunction::neg, "neg");
  const graph::Conv op{.kernel = {3, 3},
                       .stride = {1, 1},
                       .padding_begin = {0, 0},
                       .padding_end = {0, 0},
                       .dilation = {1, 1}};
  const ValueId out = b.add(op, {b.input("a", {1, 16, 3, 3}), weight}, "conv");
  const std::vector<double> values = outputs_of(std::move(b).finish({seen, out}), WeightSource::he);
  ASSERT_EQ(values.size(), 9216U + 64U);
  double squares = 0.0;
  for (std::size_t i = 0; i < 9216; ++i) squares += values[i] * values[i];
  EXPECT_NEAR(std::sqrt(squares / 9216.0), 0.0589, 0.0012);
}

}  // namespace
}  // namespace rooflab::engine
