#include "step.hpp"

#include <ATen/Context.h>
#include <c10/core/GradMode.h>

#include "autocast.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "weights.hpp"

namespace rooflab::torch_worker {
namespace {

/// Autocast and TF32 are the framework's own doing; the other precisions are types of the data.
graph::Graph in_precision(const graph::Graph& graph, Precision precision) {
  return autocast_type(precision) ? graph : graph::with_precision(graph, precision);
}

ValueOptions value_options(const engine::Case& request, const at::Device& device) {
  ValueOptions options;
  options.source = request.weights;
  options.files = request.values;
  options.device = device;
  options.channels_last = request.identity.channels_last;
  return options;
}

}  // namespace

Step::Step(const engine::Case& request, DeviceBackend& backend, const OptimizerOptions& options)
    : request_(request),
      graph_(in_precision(request.graph, request.identity.precision)),
      backend_(backend),
      trains_(request.identity.phase != Phase::inference),
      autocast_(autocast_type(request.identity.precision)),
      scales_loss_(rooflab::scales_loss(request.identity.precision)) {
  if (request.weights == engine::WeightSource::file && !autocast_) {
    // The file's bytes are in the file's own types: load them as they are, then convert.
    values_ = make_values(request.graph, value_options(request, backend.device()));
    const c10::NoGradGuard no_grad;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i].defined()) continue;
      const bool required = values_[i].requires_grad();
      values_[i] = values_[i].detach().to(scalar_type(graph_.values[i].type.dtype));
      values_[i].requires_grad_(required);
    }
  } else {
    values_ = make_values(graph_, value_options(request, backend.device()));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].defined() && values_[i].requires_grad()) parameters_.push_back(values_[i]);
  }
  executor_ =
      std::make_unique<Executor>(graph_, Mode{trains_, !trains_ && !autocast_}, backend.device());
  if (request.identity.phase == Phase::training) {
    optimizer_ = make_optimizer(request.identity.optimizer, parameters_, options);
  }
}

std::vector<at::Tensor> Step::run(const PhaseListener& at_end_of, OpObserver* observer) {
  const auto ended = [&at_end_of](std::string_view phase) {
    if (at_end_of) at_end_of(phase);
  };
  const c10::AutoGradMode records(trains_);
  if (exchange_ != nullptr) exchange_->before_forward();
  std::vector<at::Tensor> outputs;
  at::Tensor loss;
  {
    const Autocast autocast(backend_.device(), autocast_);
    outputs = executor_->run(values_, observer);
    ended("forward");
    if (request_.identity.phase == Phase::training) {
      if (!labels_.defined()) make_labels(outputs.front());
      loss = loss_of(outputs.front());
    }
  }
  if (loss.defined()) {
    last_loss_ = loss.detach();
    if (scales_loss_) loss = scaler_.scale(loss);
    ended("loss");
    for (const at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    if (exchange_ != nullptr) exchange_->before_backward();
    loss.backward();
    ended("backward");
    if (optimizer_ != nullptr) {
      update_parameters();
      ended("optimizer");
    }
  }
  for (at::Tensor& output : outputs) output = output.detach();
  return outputs;
}

void Step::update_parameters() {
  if (!scales_loss_) return optimizer_->step();
  scaler_.step(parameters_, [this] { optimizer_->step(); });
  scaler_.update();
}

std::vector<at::Tensor> Step::evaluate() {
  if (!evaluator_) {
    evaluator_ = std::make_unique<Executor>(graph_, Mode{false, !autocast_}, backend_.device());
  }
  const c10::NoGradGuard no_grad;
  const Autocast autocast(backend_.device(), autocast_);
  return evaluator_->run(values_);
}

void Step::make_labels(const at::Tensor& logits) {
  if (!at::isFloatingType(logits.scalar_type()) || logits.dim() == 0) {
    throw Unsupported{
        "training of a network whose first output is not a floating tensor of classes"};
  }
  const std::int64_t classes = logits.size(-1);
  labels_ = at::randint(classes, {logits.numel() / classes},
                        at::TensorOptions().dtype(at::kLong).device(logits.device()));
}

at::Tensor Step::loss_of(const at::Tensor& logits) const {
  const std::int64_t classes = logits.size(-1);
  return at::cross_entropy_loss(logits.dim() == 2 ? logits : logits.reshape({-1, classes}), labels_,
                                {}, at::Reduction::Mean, -100, label_smoothing_);
}

void Step::set_batch(const at::Tensor& images, const at::Tensor& labels, bool pinned) {
  const graph::ValueId id = graph_.inputs.front();
  at::Tensor& input = values_[static_cast<std::size_t>(id)];
  input.copy_(images.reshape(input.sizes()), pinned);
  if (!labels_.defined()) {
    labels_ = at::empty(labels.sizes(), labels.options().device(backend_.device()));
  }
  labels_.copy_(labels, pinned);
}

double Step::loss() const { return last_loss_.defined() ? last_loss_.item<double>() : 0.0; }

}  // namespace rooflab::torch_worker
