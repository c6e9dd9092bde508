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

/// The kernels of a class of ops in a step, beside what the network has for it.
struct ClassCheck {
  OpClass op_class = OpClass::other;
  double time_s = 0.0;
  std::optional<double> limit_s;      ///< nullopt: the network has no such op, or no limit
  std::optional<double> predicted_s;  ///< the device's time; nullopt likewise
};
[[nodiscard]] std::span<const Field> fields_of(For<ClassCheck>);

/// Why a trace cannot be of the network that it is compared with.
struct Misfit {
  enum class Reason {
    below_limit,     ///< the step is shorter than its limit
    below_interval,  ///< far shorter than predicted, on a device that was measured
    kernels_alone,   ///< kernels of a class that the network does not have
    network_alone,   ///< no kernels of a class that takes time in the network
  };
  Reason reason = Reason::below_limit;
  graph::WorkClass work_class = graph::WorkClass::other;  ///< where the reason names one
};

/// A trace beside the network that ran: where its time goes, where it could go, where it should.
struct TraceCheck {
  std::string network;  ///< `resnet18, batch 16, training`
  double step_s = 0.0;  ///< mean step of the trace
  std::optional<double> limit_s;
  std::optional<double> predicted_s;
  std::optional<double> predicted_low_s;
  std::optional<double> predicted_high_s;
  double kernel_share = 0.0;        ///< share of the kernels' time in ops of a known class
  bool assumes = false;             ///< the trace does not show all of the case, and nobody said it
  std::vector<ClassCheck> classes;  ///< the longest first; those that only the network has last

  bool measured_device = false;  ///< the prediction is from measurements of the device itself

  /// nullopt: the trace may be of the network.
  [[nodiscard]] std::optional<Misfit> misfit() const;
  [[nodiscard]] bool passes() const { return !misfit(); }
};
[[nodiscard]] std::span<const Field> fields_of(For<TraceCheck>);

/// Class of an op of the framework by its name: `aten::cudnn_convolution`; `other` where no rule
/// knows it. The step's optimizer is `(optimizer)`.
[[nodiscard]] OpClass op_class_of_operator(std::string_view name);

/// `network`: the graph behind `model`, whose rows it gives classes. Every class has the passes of
/// the phase together.
[[nodiscard]] TraceCheck check_trace(const trace::StepWork& work, double step_s,
                                     const graph::Graph& network, const CaseResult& model);

}  // namespace rooflab::analyze
