#include "rooflab/analyze/scaled_case.hpp"

#include "rooflab/graph/text_form.hpp"

namespace rooflab::analyze {

double ScaledCase::speedup(const predict::ScaledStep& step) const {
  return one.images_per_s > 0.0 ? step.images_per_s / one.images_per_s : 0.0;
}

double ScaledCase::efficiency(const predict::ScaledStep& step) const {
  return speedup(step) / step.gpus;
}

std::optional<double> ScaledCase::hidden_share(const predict::ScaledStep& step) {
  if (step.communication.value <= 0.0) return std::nullopt;
  return step.hidden.value / step.communication.value;
}

std::optional<predict::ScaledStep> predicted_step_of(const record::ScaleRun& run,
                                                     const CalibratedModel& model,
                                                     const predict::LinkModel& link,
                                                     predict::AllReduce algorithm) {
  const record::CaseIdentity& identity = run.identity;
  if (identity.graph.empty() || identity.phase != Phase::training) return std::nullopt;
  schedule::LoweringOptions options;
  options.phase = Phase::training;
  options.precision = identity.precision;
  options.channels_last = identity.channels_last;
  if (const auto optimizer = from_name<schedule::Optimizer>(identity.optimizer)) {
    options.optimizer = *optimizer;
  }
  const schedule::Schedule schedule = schedule::lower(
      graph::parse_text(identity.graph, "the run's network '" + identity.model + "'"), options);
  if (!model.times.probed() && !predict::limit_of(schedule, model.times.target()).time) {
    return std::nullopt;  // nothing to carry over by
  }
  if (predict::gradients_of(schedule).empty()) return std::nullopt;
  const predict::StepTime step = predicted_step(schedule, model);
  return predict::predict_scaled_step(schedule, step, model.times, link, run.ranks_wanted,
                                      algorithm);
}

}  // namespace rooflab::analyze
