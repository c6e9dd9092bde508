#include "rooflab/schedule/schedule.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab::schedule {

Bytes Tensor::distinct_bytes() const {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < type.shape.rank(); ++i) {
    if (strides[i] != 0 || type.shape[i] == 0) {
      elements = checked_multiply(elements, type.shape[i]);
    }
  }
  return Bytes(checked_multiply(elements, size_of(type.dtype)));
}

Precision Schedule::precision_of(const ScheduledOp& op) const {
  if (precision != Precision::fp32 || !tf32_convolutions || op.node < 0) return precision;
  const graph::Op& own = graph.nodes[static_cast<std::size_t>(op.node)].op;
  const bool by_cudnn =
      std::holds_alternative<graph::Conv>(own) || std::holds_alternative<graph::Recurrent>(own);
  return by_cudnn ? Precision::tf32 : precision;
}

bool Schedule::exchanges() const {
  return std::ranges::any_of(ops, [](const ScheduledOp& op) {
    const auto* message = std::get_if<CollectiveWork>(&op.work);
    return message != nullptr && message->ranks > 1;
  });
}

std::string Schedule::name_of(const ScheduledOp& op) const {
  struct Namer {
    const Schedule& schedule;
    const ScheduledOp& op;
    std::string operator()(NodeWork) const {
      return graph::name_of(schedule.graph.nodes[static_cast<std::size_t>(op.node)].op);
    }
    std::string operator()(ViewWork) const { return (*this)(NodeWork{}); }
    std::string operator()(BiasAddWork) const { return "bias_add"; }
    std::string operator()(BiasGradientWork) const { return "bias_gradient"; }
    std::string operator()(BroadcastGradientWork) const { return "sum_to_shape"; }
    std::string operator()(AccumulateWork) const { return "accumulate"; }
    std::string operator()(CastWork) const { return "cast"; }
    std::string operator()(CopyWork) const { return "copy"; }
    std::string operator()(FillWork) const { return "fill"; }
    std::string operator()(RandomWork) const { return "random"; }
    std::string operator()(CounterWork) const { return "count_batches"; }
    std::string operator()(LogSoftmaxWork) const { return "log_softmax"; }
    std::string operator()(NegativeLogLikelihoodWork) const { return "nll_loss"; }
    std::string operator()(const OptimizerWork& work) const { return std::string(work.step); }
    std::string operator()(const GradScalerWork& work) const { return std::string(work.step); }
    std::string operator()(const CollectiveWork& work) const {
      return std::string(rooflab::name_of(work.collective));
    }
  };
  return std::visit(Namer{*this, op}, op.work);
}

}  // namespace rooflab::schedule
