#include "rooflab/task/summary.hpp"

#include "rooflab/base/parameter_list.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<SummaryRequest>) {
  static const Parameters all = {
      parameter<&SummaryRequest::model>(
          "MODEL", "built-in model or ONNX file",
          {.positional = true, .required = true, .completes = Completion::model}),
      part<&SummaryRequest::network>(one_workload(parameters_of(For<NetworkSettings>{}))),
      aside({parameter<&SummaryRequest::depth>("D", "fold scopes deeper than this many levels",
                                               {.example = "2"})}),
  };
  return all;
}

analyze::NetworkSummary run(const SummaryRequest& request, Session& /*session*/) {
  check_models({request.model}, request.network);
  const std::optional<std::int64_t> batch = batches(request.network).front();
  return in_case(request.model, batch, [&] {
    LoadedModel loaded = load_model(request.model, batch, request.network);
    return analyze::summarize_network(schedule::lower(loaded.graph, lowerings(request.network)[0]),
                                      loaded.name, request.depth, std::move(loaded.notes));
  });
}

}  // namespace rooflab::task
