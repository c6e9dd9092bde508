#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "number_file.hpp"
#include "worker_case.hpp"

/// Networks of one op whose outputs and gradients are compared with the op's definition.
namespace rooflab::engine {

/// The formula of docs/formats/worker.md, rounded to a float as the worker does.
inline Numbers formula(std::string_view name, std::size_t count, double scale) {
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = fnv1a(name) + i + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    const double u = static_cast<double>(z >> 40U) / 8388608.0 - 1.0;
    numbers.push_back(static_cast<double>(static_cast<float>(scale * u)));
  }
  return numbers;
}

/// A network by its definition: `outputs` are the scores of one sample for a list of all
/// parameters. Gradients are taken by differences.
class Definition {
 public:
  Definition(Numbers parameters, std::function<Numbers(const Numbers&)> outputs)
      : parameters_(std::move(parameters)), outputs_(std::move(outputs)) {}

  [[nodiscard]] Numbers outputs() const { return outputs_(parameters_); }

  /// Cross-entropy.
  [[nodiscard]] double loss(std::size_t label) const {
    const Numbers y = outputs();
    double sum = 0.0;
    for (const double score : y) sum += std::exp(score);
    return std::log(sum) - y[label];
  }

  /// Stochastic gradient descent: rate 0.01, momentum 0.9.
  void step(std::size_t label) {
    constexpr double h = 1e-5;
    velocity_.resize(parameters_.size(), 0.0);
    const Numbers before = parameters_;
    for (std::size_t i = 0; i < before.size(); ++i) {
      parameters_[i] = before[i] + h;
      const double above = loss(label);
      parameters_[i] = before[i] - h;
      const double below = loss(label);
      parameters_[i] = before[i];
      velocity_[i] = 0.9 * velocity_[i] + (above - below) / (2.0 * h);
    }
    for (std::size_t i = 0; i < before.size(); ++i) parameters_[i] -= 0.01 * velocity_[i];
  }

 private:
  Numbers parameters_;
  std::function<Numbers(const Numbers&)> outputs_;
  Numbers velocity_;
};

/// What the worker makes of a network in double precision: outputs, and losses of three steps.
inline WorkerNumbers trained(graph::Graph graph, const std::string& device = "cpu") {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / format("rooflab-{}-{}", graph.name, ::getpid());
  Case request;
  request.graph = std::move(graph);
  request.identity.model = request.graph.name;
  request.identity.device = device;
  request.identity.phase = Phase::training;
  request.identity.precision = Precision::fp64;
  request.identity.optimizer = "sgd-momentum";
  request.settings.iterations = 1;
  request.settings.min_time_s = request.settings.max_time_s = 0.0;
  request.settings.warmup_time_s = 0.0;
  request.weights = WeightSource::formula;
  request.outputs = file;
  const record::Record result = run(request);
  EXPECT_EQ(result.status, record::Status::ok) << result.message;
  if (result.status != record::Status::ok) return {};
  WorkerNumbers values = worker_numbers_in(file);
  fs::remove(file);
  return values;
}

/// The worker's outputs are those of the definition, and its losses those of steps down the
/// definition's gradients.
inline void expect_defined(const WorkerNumbers& actual, Definition definition) {
  const Numbers expected = definition.outputs();
  ASSERT_EQ(actual.others.size(), expected.size());
  ASSERT_EQ(actual.losses.size(), 3U);
  // The worker writes nine digits.
  const auto digits = [](double number) { return 1e-8 * std::max(1.0, std::fabs(number)); };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual.others[i], expected[i], digits(expected[i])) << "output " << i;
  }
  // The worker draws the label; the loss of the first step says which one.
  std::size_t label = 0;
  while (label < expected.size() &&
         std::fabs(definition.loss(label) - actual.losses[0]) > digits(actual.losses[0])) {
    ++label;
  }
  ASSERT_LT(label, expected.size()) << "no label gives the first loss";
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}}) {
    const double before = definition.loss(label);
    definition.step(label);
    const double change = std::fabs(definition.loss(label) - before);
    ASSERT_GT(change, 1e-5);
    // Differences are less exact across a knot of a cubic.
    EXPECT_NEAR(actual.losses[step], definition.loss(label), digits(before) + 1e-4 * change)
        << step;
  }
}

}  // namespace rooflab::engine
