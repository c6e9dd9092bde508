// grid_sample in the worker, which PyTorch's own function runs, against the definition of sampling
// written down here (PyTorch's documentation of torch.nn.functional.grid_sample; Keys 1981 for the
// cubic weights): results, and by the losses of three training steps the gradients to the input and
// to the grid, which the test takes by differences.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/format.hpp"
#include "defined_network.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::engine {
namespace {

using graph::GridSample;
using graph::GridSampleMode;
using graph::GridSamplePadding;
using Extents = std::vector<std::int64_t>;

constexpr std::size_t channels = 2;
constexpr std::size_t places = 6;

std::size_t product(const Extents& extents) {
  std::size_t result = 1;
  for (const std::int64_t extent : extents) result *= static_cast<std::size_t>(extent);
  return result;
}

// ---- the definition -----------------------------------------------------------------------------

/// A coordinate in pixels brought back inside, as padding says.
double padded(const GridSample& op, double x, double extent) {
  if (op.padding_mode == GridSamplePadding::zeros) return x;
  if (op.padding_mode == GridSamplePadding::reflection) {
    // A mirror is on the first and last pixel's centre, or on their outer edges.
    const double first = op.align_corners ? 0.0 : -0.5;
    const double last = op.align_corners ? extent - 1.0 : extent - 0.5;
    const double period = 2.0 * (last - first);
    const double inside = std::fmod(std::fmod(x - first, period) + period, period);
    x = first + std::min(inside, period - inside);
  }
  return std::clamp(x, 0.0, extent - 1.0);
}

double cubic_weight(double distance) {
  constexpr double a = -0.75;
  const double s = std::fabs(distance);
  if (s <= 1.0) return (a + 2.0) * s * s * s - (a + 3.0) * s * s + 1.0;
  return a * s * s * s - 5.0 * a * s * s + 8.0 * a * s - 4.0 * a;
}

struct Neighbour {
  double pixel;
  double weight;
};

/// Along one dimension.
std::vector<Neighbour> neighbours(const GridSample& op, double place, double extent) {
  const double x = op.align_corners ? (place + 1.0) / 2.0 * (extent - 1.0)
                                    : ((place + 1.0) * extent - 1.0) / 2.0;
  if (op.mode == GridSampleMode::nearest) return {{std::nearbyint(padded(op, x, extent)), 1.0}};
  std::vector<Neighbour> found;
  if (op.mode == GridSampleMode::bilinear) {
    const double inside = padded(op, x, extent);
    for (const double pixel : {std::floor(inside), std::floor(inside) + 1.0}) {
      found.push_back({pixel, 1.0 - std::fabs(inside - pixel)});
    }
    return found;
  }
  for (int i = -1; i <= 2; ++i) {
    const double pixel = std::floor(x) + i;
    found.push_back({padded(op, pixel, extent), cubic_weight(x - pixel)});
  }
  return found;
}

/// Sum over the neighbours along `extents[dimension]` and all dimensions before it; `place` is in
/// the order of the dimensions.
double sampled(const GridSample& op, const double* image, const Extents& extents,
               const Numbers& place, std::size_t dimension = 0) {
  if (dimension == extents.size()) return *image;
  const auto extent = static_cast<double>(extents[dimension]);
  const std::size_t stride =
      product(Extents(extents.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, extents.end()));
  double sum = 0.0;
  for (const auto& [pixel, weight] : neighbours(op, place[dimension], extent)) {
    if (pixel < 0.0 || pixel > extent - 1.0) continue;
    const double* const part = image + static_cast<std::size_t>(pixel) * stride;
    sum += weight * sampled(op, part, extents, place, dimension + 1);
  }
  return sum;
}

// ---- a network of one grid_sample -----------------------------------------------------------

struct Sampled {
  GridSample op;
  Extents extents;  ///< extents of the image
};

void PrintTo(const Sampled& one, std::ostream* stream) { *stream << one.extents.size() << "-d"; }

/// input + w sampled at 4 p: w and p are trained.
graph::Graph network_of(const Sampled& one) {
  graph::GraphBuilder b("sampled");
  Extents x_shape = {1, static_cast<std::int64_t>(channels)};
  x_shape.insert(x_shape.end(), one.extents.begin(), one.extents.end());
  Extents grid_shape(one.extents.size() + 2, 1);
  grid_shape[grid_shape.size() - 2] = places;
  grid_shape.back() = static_cast<std::int64_t>(one.extents.size());
  const auto add = graph::BinaryFunction::add;
  const graph::ValueId input = b.input("input", graph::Shape(x_shape));
  const graph::ValueId w = b.parameter("w", graph::Shape(x_shape));
  const graph::ValueId x = b.binary(input, w, add, "x");
  const graph::ValueId p = b.parameter("p", graph::Shape(grid_shape));
  const graph::ValueId twice = b.binary(p, p, add, "twice");
  const graph::ValueId grid = b.binary(twice, twice, add, "grid");
  const graph::ValueId y = b.add(one.op, {x, grid}, "sample");
  const auto classes = static_cast<std::int64_t>(channels * places);
  return std::move(b).finish({b.add(graph::Reshape{{1, classes}}, {y}, "classes")});
}

/// The network by the definition: parameters are w, then p.
Definition definition_of(const Sampled& one) {
  const std::size_t dimensions = one.extents.size();
  const std::size_t size = product(one.extents);
  const Numbers input = formula("input", channels * size, 1.0);
  const auto scale = [](std::size_t fan_in) {
    return std::sqrt(6.0 / static_cast<double>(fan_in));
  };
  Numbers parameters = formula("w", input.size(), scale(input.size()));
  const Numbers p = formula("p", places * dimensions, scale(places * dimensions));
  parameters.insert(parameters.end(), p.begin(), p.end());
  return {std::move(parameters), [=](const Numbers& all) {
            Numbers x = input;
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += all[i];
            Numbers y;
            for (std::size_t c = 0; c < channels; ++c) {
              for (std::size_t place = 0; place < places; ++place) {
                Numbers at;  // the grid begins with the last dimension
                for (std::size_t k = dimensions; k-- > 0;) {
                  at.push_back(4.0 * all[x.size() + place * dimensions + k]);
                }
                y.push_back(sampled(one.op, x.data() + c * size, one.extents, at));
              }
            }
            return y;
          }};
}

class GridSampleOutputs : public testing::TestWithParam<Sampled> {};

/// What PyTorch 2.11 computes: tests/data/torch/make_grid_sample.py, a line for each way, the
/// outputs first.
Numbers pytorch_outputs(const std::string& name) {
  std::istringstream lines(read_file(ROOFLAB_SOURCE_DIR "/tests/data/torch/grid_sample.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != name) continue;
    Numbers outputs;
    while (outputs.size() < channels * places && words >> word) {
      outputs.push_back(parse_number(word).value());
    }
    return outputs;
  }
  return {};
}

TEST_P(GridSampleOutputs, AndGradientsAreThoseOfTheDefinition) {
  const WorkerNumbers actual = trained(network_of(GetParam()));
  ASSERT_EQ(actual.others.size(), channels * places);
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const Numbers theirs = pytorch_outputs(test.substr(test.find('/') + 1));
  ASSERT_EQ(theirs.size(), actual.others.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    EXPECT_NEAR(actual.others[i], theirs[i], 1e-8) << "PyTorch's place " << i;
  }
  expect_defined(actual, definition_of(GetParam()));
}

std::vector<Sampled> all_ways() {
  std::vector<Sampled> ways;
  for (const Extents& extents : {Extents{4, 5}, Extents{3, 4, 5}}) {
    for (const auto mode :
         {GridSampleMode::bilinear, GridSampleMode::nearest, GridSampleMode::bicubic}) {
      if (mode == GridSampleMode::bicubic && extents.size() == 3) continue;
      for (const auto padding :
           {GridSamplePadding::zeros, GridSamplePadding::border, GridSamplePadding::reflection}) {
        for (const bool align : {false, true}) ways.push_back({{mode, padding, align}, extents});
      }
    }
  }
  return ways;
}

std::string name_of_way(const testing::TestParamInfo<Sampled>& way) {
  constexpr std::array modes = {"Bilinear", "Nearest", "Bicubic"};
  constexpr std::array paddings = {"Zeros", "Border", "Reflection"};
  const GridSample& op = way.param.op;
  return format("{}{}d{}{}", modes.at(static_cast<std::size_t>(op.mode)), way.param.extents.size(),
                paddings.at(static_cast<std::size_t>(op.padding_mode)),
                op.align_corners ? "Aligned" : "");
}

INSTANTIATE_TEST_SUITE_P(Ways, GridSampleOutputs, testing::ValuesIn(all_ways()), name_of_way);

}  // namespace
}  // namespace rooflab::engine
