#include "backward_hooks.hpp"

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <vector>

namespace rooflab::torch_worker {
namespace {

using torch::autograd::variable_list;

struct Before : torch::autograd::FunctionPreHook {
  Before(const BackwardHooks::Callback& function, graph::NodeId of)
      : callback(function), node(of) {}
  variable_list operator()(const variable_list& gradients) override {
    callback(node);
    return gradients;
  }
  const BackwardHooks::Callback& callback;
  graph::NodeId node;
};

struct After : torch::autograd::FunctionPostHook {
  After(const BackwardHooks::Callback& function, graph::NodeId of) : callback(function), node(of) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    callback(node);
    return outputs;
  }
  const BackwardHooks::Callback& callback;
  graph::NodeId node;
};

}  // namespace

void BackwardHooks::attach(graph::NodeId node, std::span<const at::Tensor> outputs) {
  std::vector<torch::autograd::Node*> pending;
  for (const at::Tensor& output : outputs) {
    if (output.defined() && output.grad_fn()) pending.push_back(output.grad_fn().get());
  }
  while (!pending.empty()) {
    torch::autograd::Node* const function = pending.back();
    pending.pop_back();
    if (!seen_.insert(function).second) continue;
    hook(*function, node);
    for (const auto& edge : function->next_edges()) {
      if (edge.function) pending.push_back(edge.function.get());
    }
  }
}

void BackwardHooks::hook(torch::autograd::Node& function, graph::NodeId node) const {
  function.add_pre_hook(std::make_unique<Before>(before_, node));
  function.add_post_hook(std::make_unique<After>(after_, node));
}

}  // namespace rooflab::torch_worker
