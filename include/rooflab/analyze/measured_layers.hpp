#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/op_class.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::analyze {

/// One node as measured, beside what the model says of it.
struct MeasuredLayer {
  record::NodeTiming timing;
  OpClass op_class = OpClass::other;
  std::optional<double> time_share;  ///< share of the layers' sum
  std::optional<Flops> flops;        ///< modelled FLOPs of the phase; nullopt: no node, or no rule
  std::optional<Bytes> bytes;        ///< compulsory, modelled
  std::optional<Seconds> limit;
  predict::Bound bound = predict::Bound::none;

  [[nodiscard]] double time_s() const { return timing.forward_s + timing.backward_s.value_or(0.0); }
  [[nodiscard]] std::optional<double> limit_ratio() const;
};

/// Measured time and limit of all ops of a class.
struct ClassTime {
  OpClass op_class = OpClass::other;
  int layers = 0;
  double time_s = 0.0;
  double time_share = 0.0;        ///< share of the layers' sum
  std::optional<double> limit_s;  ///< nullopt: one of its layers, or the case, has no limit
  std::optional<double> limit_share;
};

struct MeasuredLayers {
  std::vector<MeasuredLayer> layers;  ///< in the record's order
  std::vector<MeasuredLayer> totals;  ///< their sum, and the whole step as it was measured
  std::vector<ClassTime> classes;     ///< longest first; classes without layers are left out
};

[[nodiscard]] std::span<const Field> fields_of(For<MeasuredLayer>);
[[nodiscard]] std::span<const Field> fields_of(For<ClassTime>);

/// Joins a record's layer times with the model's rows by node name; empty without layer times.
/// `network` is the record's, `model` its counts and limit.
[[nodiscard]] MeasuredLayers measured_layers_of(const record::Record& record,
                                                const graph::Graph* network,
                                                const CaseResult* model);

/// The layers' sum set against the whole in sentences; `median_s` is that of the timed steps, which
/// have no events inside.
[[nodiscard]] std::vector<std::string> explain(const record::LayerTimes& times,
                                               std::optional<double> median_s);

}  // namespace rooflab::analyze
