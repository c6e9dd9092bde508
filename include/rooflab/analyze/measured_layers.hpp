#pragma once

#include <cstdint>
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
  std::string name;
  std::string op;
  OpClass op_class = OpClass::other;
  double forward_s = 0.0;
  std::optional<double> backward_s;
  std::optional<double> synchronized_s;
  std::optional<std::int64_t> allocated_delta_bytes;
  std::optional<Flops> flops;  ///< of the phase, modelled; nullopt: no node, or no rule
  std::optional<Bytes> bytes;  ///< compulsory, modelled
  std::optional<Seconds> limit;
  predict::Bound bound = predict::Bound::none;

  [[nodiscard]] double time_s() const { return forward_s + backward_s.value_or(0.0); }
};

/// Measured time and limit of all ops of a class.
struct ClassTime {
  OpClass op_class = OpClass::other;
  int layers = 0;
  double time_s = 0.0;
  double share = 0.0;             ///< of the layers' sum
  std::optional<double> limit_s;  ///< nullopt: one of its layers, or the case, has no limit
  std::optional<double> limit_share;
};

/// Why layer times do not add up to the time of a step.
struct LayerSum {
  double sum_s = 0.0;
  double whole_s = 0.0;            ///< the same step with events, first to last
  std::optional<double> median_s;  ///< of the timed steps, which have no events inside
  double forward_sum_s = 0.0;
  std::optional<double> forward_whole_s;     ///< free running
  std::optional<double> synchronized_sum_s;  ///< waiting for the device after every op
  int waits = 0;                             ///< ops after which it waited

  /// What lies between the ops; negative where timing each op costs more than that.
  [[nodiscard]] double between_s() const { return whole_s - sum_s; }
  /// What waiting after every op adds to the forward pass.
  [[nodiscard]] std::optional<double> synchronisation_s() const;
};

struct MeasuredLayers {
  std::vector<MeasuredLayer> layers;  ///< in the record's order
  std::vector<ClassTime> classes;     ///< by falling time; classes without layers are left out
  std::optional<LayerSum> sum;
};

/// Joins a record's layer times with the model's rows by node name; empty without layer times.
/// `network` is the record's, `model` its counts and limit.
[[nodiscard]] MeasuredLayers measured_layers_of(const record::Record& record,
                                                const graph::Graph* network,
                                                const CaseResult* model);

/// The sum set against the whole in sentences.
[[nodiscard]] std::vector<std::string> explain(const LayerSum& sum);

}  // namespace rooflab::analyze
