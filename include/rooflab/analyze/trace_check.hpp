#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/trace/step_work.hpp"

namespace rooflab::analyze {

/// Kernels of a class of ops in a step, compared with the limit and prediction of the network.
struct ClassCheck {
  OpClass op_class = OpClass::other;
  double time_s = 0.0;
  std::optional<double> limit_s = {};      ///< nullopt: the network has no such op, or no limit
  std::optional<double> predicted_s = {};  ///< device time; nullopt: no such op, or no prediction
};
[[nodiscard]] std::span<const Field> fields_of(For<ClassCheck>);

/// Reason why a trace cannot be of the network that it is compared with.
struct Misfit {
  enum class Reason {
    below_limit,     ///< the step is shorter than its limit
    below_interval,  ///< the step is far shorter than predicted, on a measured device
    kernels_alone,   ///< the trace has kernels of a class that the network does not have
    network_alone,   ///< the trace has no kernels of a class that takes time in the network
  };
  Reason reason = Reason::below_limit;
  graph::WorkClass work_class = graph::WorkClass::other;  ///< class that the reason names
};

/// A trace compared with limit and prediction of the network that ran, by class of ops.
struct TraceCheck {
  std::string network = {};  ///< `resnet18, batch 16, training`
  double step_s = 0.0;       ///< mean step of the trace
  std::optional<double> limit_s = {};
  std::optional<double> predicted_s = {};
  std::optional<double> predicted_low_s = {};
  std::optional<double> predicted_high_s = {};
  double kernel_share = 0.0;             ///< share of the kernels' time in ops of a known class
  bool assumes = false;                  ///< part of the case is assumed, not known
  std::vector<ClassCheck> classes = {};  ///< longest first; classes of the network alone last

  bool measured_device = false;  ///< the prediction is from measurements of the device itself

  /// Reason why the trace is not of the network; nullopt: it may be.
  [[nodiscard]] std::optional<Misfit> misfit() const;
  [[nodiscard]] bool passes() const { return !misfit(); }
};
[[nodiscard]] std::span<const Field> fields_of(For<TraceCheck>);

/// Class of an op of the framework by its name: `aten::cudnn_convolution`; `other` where no rule
/// matches. The step's optimizer is `(optimizer)`.
[[nodiscard]] OpClass op_class_of_operator(std::string_view name);

/// Compares a trace with a model by class. `network`: the graph of `model`, which gives its rows
/// their classes. A class includes all passes of the phase.
[[nodiscard]] TraceCheck check_trace(const trace::StepWork& work, double step_s,
                                     const graph::Graph& network, const CaseResult& model);

}  // namespace rooflab::analyze
