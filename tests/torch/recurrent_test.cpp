// Recurrent layers in the worker, which PyTorch's own functions run, against their equations:
// results, and by the losses of three training steps the gradients to the input, the states and all
// weights, which the test takes by differences.

#include <gtest/gtest.h>

#include "recurrent_network.hpp"

namespace rooflab::engine {
namespace {

using graph::Recurrent;
using graph::RecurrentCell;
using recurrent::definition_of;
using recurrent::network_of;
using recurrent::samples;
using recurrent::steps;
using recurrent::units;

class RecurrentLayers : public testing::TestWithParam<RecurrentCell> {
 protected:
  static void expect_as_defined(Recurrent op) {
    op.cell = GetParam();
    expect_defined(trained(network_of(op)), definition_of(op));
  }
};

TEST_P(RecurrentLayers, OneLayer) { expect_as_defined({}); }

TEST_P(RecurrentLayers, WithoutBiasesFromGivenStates) {
  expect_as_defined({.bias = false, .initial_state = true});
}

TEST_P(RecurrentLayers, TwoInBothDirectionsSamplesFirst) {
  expect_as_defined(
      {.layers = 2, .bidirectional = true, .batch_first = true, .initial_state = true});
}

std::string name_of_cell(const testing::TestParamInfo<RecurrentCell>& cell) {
  return std::string(rooflab::name_of(cell.param));
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentLayers,
                         testing::Values(RecurrentCell::lstm, RecurrentCell::gru,
                                         RecurrentCell::rnn_tanh, RecurrentCell::rnn_relu),
                         name_of_cell);

// Evaluation drops nothing; training drops all results of the first layer, so that the second sees
// its biases only: every step gives the same h for every sample.
TEST(RecurrentDropout, IsBetweenLayersInTraining) {
  const Recurrent op{.cell = RecurrentCell::rnn_tanh, .layers = 2, .dropout = 1.0};
  const WorkerNumbers actual = trained(network_of(op));
  ASSERT_EQ(actual.others.size(), steps * samples * units + 2 * samples * units);
  const auto y = [&](std::size_t t, std::size_t n, std::size_t j) {
    return actual.others[(t * samples + n) * units + j];
  };
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t j = 0; j < units; ++j) EXPECT_NEAR(y(t, 0, j), y(t, 1, j), 1e-12);
  }
}

}  // namespace
}  // namespace rooflab::engine
