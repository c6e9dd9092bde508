#include "stage_pipeline.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>

#include "autocast.hpp"
#include "rooflab/graph/graph.hpp"
#include "weights.hpp"

namespace rooflab::torch_worker {

using graph::Graph;
using graph::ValueId;

struct StagePipeline::Stage {
  Graph graph;  ///< in its precision
  DeviceBackend* backend = nullptr;
  std::vector<at::Tensor> values;
  std::vector<at::Tensor> parameters;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Optimizer> optimizer;  ///< nullptr: none
  Bytes received;
};

/// One micro-batch on its way.
struct StagePipeline::Flight {
  std::map<std::string, at::Tensor> sent;       ///< keys: names; on the device that computed it
  std::map<std::string, at::Tensor> gradients;  ///< gradients of those, after their return
  std::vector<std::map<std::string, at::Tensor>>
      received;  ///< index: stage; leaves of its autograd
  at::Tensor loss;
};

namespace {

std::size_t slot(ValueId id) { return static_cast<std::size_t>(id); }

at::Tensor slice(const at::Tensor& whole, std::size_t index, int parts) {
  const std::int64_t size = whole.size(0) / parts;
  return whole.narrow(0, static_cast<std::int64_t>(index) * size, size);
}

}  // namespace

StagePipeline::StagePipeline(const engine::StageRequest& request,
                             const std::map<std::string, std::unique_ptr<DeviceBackend>>& backends)
    : request_(request),
      trains_(request.request.identity.phase != Phase::inference),
      autocast_(autocast_type(request.request.identity.precision)),
      scales_loss_(rooflab::scales_loss(request.request.identity.precision)) {
  const Graph& whole = request.request.graph;
  const std::int64_t batch = whole.batch();
  if (request.micro_batches < 1 || batch % request.micro_batches != 0) {
    throw Unsupported{"micro-batches that do not divide the batch"};
  }
  const Graph micro = graph::rebatch(whole, batch / request.micro_batches);
  const std::vector<Graph> parts = graph::stages_of(micro, request.cuts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    make_stage(parts[i], *backends.at(request.devices[i]));
    for (const ValueId id : parts[i].inputs) read_last_by_[parts[i].value(id).name] = i;
    for (const ValueId id : parts[i].outputs) produced_by_[parts[i].value(id).name] = i;
  }
  for (const ValueId id : whole.outputs) outputs_.push_back(whole.value(id).name);
  if (produced_by_.at(outputs_.front()) + 1 != stages_.size()) {
    throw Unsupported{"a network whose first output is not computed by its last stage"};
  }
  make_input(whole);
}

StagePipeline::~StagePipeline() = default;

const Graph& StagePipeline::graph(std::size_t stage) const { return stages_[stage]->graph; }
DeviceBackend& StagePipeline::backend(std::size_t stage) const { return *stages_[stage]->backend; }
Bytes StagePipeline::received(std::size_t stage) const { return stages_[stage]->received; }

void StagePipeline::make_stage(const Graph& part, DeviceBackend& backend) {
  const engine::Case& request = request_.request;
  const c10::OptionalDeviceGuard guard(backend.device());
  auto stage = std::make_unique<Stage>();
  stage->graph = autocast_ ? part : graph::with_precision(part, request.identity.precision);
  stage->backend = &backend;
  ValueOptions options;
  options.source = request.weights;
  options.device = backend.device();
  options.channels_last = request.identity.channels_last;
  stage->values = make_values(stage->graph, options);
  // What comes from outside is put there step by step.
  for (const ValueId id : stage->graph.inputs) stage->values[slot(id)].reset();
  for (const at::Tensor& value : stage->values) {
    if (value.defined() && value.requires_grad()) stage->parameters.push_back(value);
  }
  stage->executor = std::make_unique<Executor>(stage->graph, Mode{trains_, !trains_ && !autocast_},
                                               backend.device());
  if (request.identity.phase == Phase::training) {
    stage->optimizer = make_optimizer(request.identity.optimizer, stage->parameters);
  }
  stages_.push_back(std::move(stage));
}

/// The whole batch's, so that it does not depend on the cuts and micro-batches.
void StagePipeline::make_input(const Graph& whole) {
  const Precision precision = request_.request.identity.precision;
  const Graph typed = autocast_ ? whole : graph::with_precision(whole, precision);
  Graph only_inputs;
  for (const ValueId id : typed.inputs) {
    only_inputs.inputs.push_back(static_cast<ValueId>(only_inputs.values.size()));
    only_inputs.values.push_back(typed.value(id));
  }
  ValueOptions options;
  options.source = request_.request.weights;
  options.device = stages_.front()->backend->device();
  options.channels_last = request_.request.identity.channels_last;
  const std::vector<at::Tensor> values = make_values(only_inputs, options);
  for (std::size_t i = 0; i < values.size(); ++i) {
    inputs_[only_inputs.values[i].name] = values[i];
  }
}

void StagePipeline::synchronize() {
  for (const auto& stage : stages_) {
    const c10::OptionalDeviceGuard guard(stage->backend->device());
    stage->backend->synchronize();
  }
}

template <class Work>
void StagePipeline::timed(std::size_t index, double StageParts::*part, Work work) {
  if (parts_ == nullptr) return work();
  synchronize();
  const auto start = std::chrono::steady_clock::now();
  work();
  synchronize();
  (*parts_)[index].*part +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<at::Tensor> StagePipeline::step(std::vector<StageParts>* parts) {
  parts_ = parts;
  if (parts_ != nullptr) parts_->resize(stages_.size());
  const c10::AutoGradMode records(trains_);
  for (const auto& stage : stages_) stage->received = Bytes(0);
  const auto count = static_cast<std::size_t>(request_.micro_batches);
  std::vector<Flight> flights(count);
  {
    const Autocast autocast(stages_.front()->backend->device(), autocast_);
    for (std::size_t m = 0; m < count; ++m) {
      flights[m].received.resize(stages_.size());
      for (std::size_t s = 0; s < stages_.size(); ++s) forward(s, m, flights[m]);
    }
  }
  std::vector<at::Tensor> outputs;
  for (const std::string& name : outputs_) {
    std::vector<at::Tensor> of_micro_batches;
    for (const Flight& flight : flights) of_micro_batches.push_back(flight.sent.at(name).detach());
    outputs.push_back(count == 1 ? of_micro_batches.front() : at::cat(of_micro_batches));
  }
  if (request_.request.identity.phase != Phase::training) return outputs;
  loss_ = at::Tensor();
  for (const Flight& flight : flights) {
    const at::Tensor share = flight.loss.detach();
    loss_ = loss_.defined() ? loss_ + share : share;
  }
  for (const auto& stage : stages_) {
    for (const at::Tensor& parameter : stage->parameters) parameter.mutable_grad().reset();
  }
  for (Flight& flight : flights) {
    for (std::size_t s = stages_.size(); s-- > 0;) backward(s, flight);
    flight = {};
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (stages_[s]->optimizer == nullptr) continue;
    const c10::OptionalDeviceGuard guard(stages_[s]->backend->device());
    timed(s, &StageParts::time_s, [&] { optimize(*stages_[s]); });
  }
  if (scales_loss_) scaler_.update();
  return outputs;
}

void StagePipeline::optimize(Stage& stage) {
  if (!scales_loss_) return stage.optimizer->step();
  scaler_.step(stage.parameters, [&stage] { stage.optimizer->step(); });
}

void StagePipeline::receive(Stage& stage, std::size_t index, std::size_t micro_batch,
                            Flight& flight) {
  for (const ValueId id : stage.graph.inputs) {
    const std::string& name = stage.graph.value(id).name;
    at::Tensor& value = stage.values[slot(id)];
    if (const auto input = inputs_.find(name); input != inputs_.end()) {
      value = slice(input->second, micro_batch, request_.micro_batches).to(stage.backend->device());
      continue;
    }
    const at::Tensor& sent = flight.sent.at(name);
    value = sent.detach().to(stage.backend->device());
    stage.received += Bytes(static_cast<std::int64_t>(value.nbytes()));
    if (trains_ && at::isFloatingType(value.scalar_type())) {
      value.requires_grad_(true);
      flight.received[index][name] = value;
    }
  }
}

void StagePipeline::forward(std::size_t index, std::size_t micro_batch, Flight& flight) {
  Stage& stage = *stages_[index];
  const c10::OptionalDeviceGuard guard(stage.backend->device());
  timed(index, &StageParts::transfer_s, [&] { receive(stage, index, micro_batch, flight); });
  timed(index, &StageParts::time_s, [&] {
    const std::vector<at::Tensor> results = stage.executor->run(stage.values);
    for (std::size_t i = 0; i < stage.graph.outputs.size(); ++i) {
      flight.sent[stage.graph.value(stage.graph.outputs[i]).name] = results[i];
    }
    const bool is_last = index + 1 == stages_.size();
    if (is_last && request_.request.identity.phase == Phase::training) {
      add_loss(flight.sent.at(outputs_.front()), micro_batch, flight);
    }
  });
  for (const ValueId id : stage.graph.inputs) stage.values[slot(id)].reset();
  if (trains_) return;
  // Without a backward pass a value is dropped after its last reader.
  std::erase_if(flight.sent, [&](const auto& sent) {
    const bool is_output = std::ranges::find(outputs_, sent.first) != outputs_.end();
    const auto last = read_last_by_.find(sent.first);
    return !is_output && last != read_last_by_.end() && last->second <= index;
  });
}

void StagePipeline::add_loss(const at::Tensor& logits, std::size_t micro_batch, Flight& flight) {
  if (!at::isFloatingType(logits.scalar_type()) || logits.dim() == 0) {
    throw Unsupported{
        "training of a network whose first output is not a floating tensor of classes"};
  }
  const std::int64_t classes = logits.size(-1);
  if (!labels_.defined()) {
    labels_ = at::randint(classes, {logits.numel() / classes * request_.micro_batches},
                          at::TensorOptions().dtype(at::kLong).device(logits.device()));
  }
  flight.loss = at::cross_entropy_loss(logits.dim() == 2 ? logits : logits.reshape({-1, classes}),
                                       slice(labels_, micro_batch, request_.micro_batches)) /
                request_.micro_batches;
}

void StagePipeline::backward(std::size_t index, Flight& flight) {
  Stage& stage = *stages_[index];
  const c10::OptionalDeviceGuard guard(stage.backend->device());
  std::vector<at::Tensor> roots;
  std::vector<at::Tensor> gradients;
  if (index + 1 == stages_.size()) {
    roots.push_back(scales_loss_ ? scaler_.scale(flight.loss) : flight.loss);
    gradients.emplace_back();
  }
  for (const ValueId id : stage.graph.outputs) {
    const std::string& name = stage.graph.value(id).name;
    const auto arrived = flight.gradients.find(name);
    if (arrived == flight.gradients.end()) continue;
    roots.push_back(flight.sent.at(name));
    gradients.push_back(std::move(arrived->second));
    flight.gradients.erase(arrived);
  }
  if (!roots.empty()) {
    timed(index, &StageParts::time_s, [&] { torch::autograd::backward(roots, gradients); });
  }
  for (const ValueId id : stage.graph.outputs) {
    const std::string& name = stage.graph.value(id).name;
    flight.sent.erase(name);
  }
  send_gradients_back(index, flight);
}

void StagePipeline::send_gradients_back(std::size_t index, Flight& flight) {
  for (const auto& [name, leaf] : flight.received[index]) {
    if (!leaf.grad().defined()) continue;
    const std::size_t producer = produced_by_.at(name);
    timed(producer, &StageParts::transfer_s, [&] {
      const at::Tensor gradient = leaf.grad().to(stages_[producer]->backend->device());
      at::Tensor& held = flight.gradients[name];
      held = held.defined() ? held + gradient : gradient;
    });
  }
  flight.received[index].clear();
}

}  // namespace rooflab::torch_worker
