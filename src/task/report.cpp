#include "rooflab/task/report.hpp"

#include "base/parameter_list.hpp"
#include "rooflab/task/results.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<ReportRequest>) {
  static const Parameters all = {
      parameter<&ReportRequest::results>(
          "RESULT...",
          "records, JSON of predict, measure or train, ncu CSV, traces, nsys exports, or folders",
          {.positional = true,
           .required = true,
           .whole_words = true,
           .completes = Completion::file}),
      parameter<&ReportRequest::as_device>("D", "compare everything with this device's roofs",
                                           {.default_text = "each with its own",
                                            .example = "h200",
                                            .completes = Completion::device,
                                            .former = {"device"}}),
      part<&ReportRequest::device_files>(),
      part<&ReportRequest::calibrations>(),
  };
  return all;
}

analyze::ResultSet run(const ReportRequest& request, Session& session) {
  const device::Catalog known = request.device_files.catalog();
  const device::Catalog catalog = request.calibrations.with_probed(known);
  std::optional<device::Device> device;
  if (!request.as_device.empty()) device = named_device(request.as_device, catalog, session);
  return read_result_set(request.results, catalog, device, request.calibrations.lookup(known),
                         session);
}

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
