#include "rooflab/task/report.hpp"

#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/task/results.hpp"
#include "setting_use.hpp"

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
                                            .completes = Completion::device}),
      part<&ReportRequest::device_files>(),
      part<&ReportRequest::calibrations>(),
  };
  return all;
}

ReportResult run(const ReportRequest& request, Session& session) {
  const device::Catalog known = request.device_files.catalog();
  const device::Catalog catalog = request.calibrations.with_probed(known);
  std::optional<device::Device> device;
  if (!request.as_device.empty()) device = named_device(request.as_device, catalog, session);
  ReportResult result{.results = read_result_set(request.results, catalog, device,
                                                 request.calibrations.lookup(known), session),
                      .findings = {}};
  result.findings = findings_for(result.results);
  return result;
}

const Parameters& parameters_of(For<SummaryRequest>) {
  static const Parameters all = {
      parameter<&SummaryRequest::model>("MODEL", "built-in model or ONNX file",
                                        {.positional = true, .completes = Completion::model}),
      part<&SummaryRequest::network>(of_a_model(
          {key_of<&SummaryRequest::model>()}, one_workload(parameters_of(For<NetworkSettings>{})))),
      part<&SummaryRequest::layers>(parameters_of(For<LayerChoice>{})
                                        .with<&LayerChoice::layer>([](Parameter& each) {
                                          each.single = true;
                                          each.help = "one layer instead of a model";
                                        })
                                        .with<&LayerChoice::input>([](Parameter& each) {
                                          each.single = true;
                                          each.value = "SHAPE";
                                          each.help = "the layer's input, batch first";
                                        })),
      aside({parameter<&SummaryRequest::depth>("D", "fold scopes deeper than this many levels",
                                               {.example = "2"})}),
  };
  return all;
}

analyze::NetworkSummary run(const SummaryRequest& request, Session& /*session*/) {
  std::vector<std::string> models;
  if (!request.model.empty()) models.push_back(request.model);
  request.layers.check(models, request.network);
  const ListedNetwork network = listed_networks(models, request.layers, request.network).front();
  return in_case(network.name, network.batch, [&] {
    LoadedModel loaded = network.load(request.network);
    SettingUse(request.network).check(loaded);
    if (request.network.channels_last) loaded.notes.push_back({says.counted_channels_last});
    return analyze::summarize_network(*loaded.lowered(loaded.lowerings(request.network)[0]),
                                      loaded.name, request.depth, std::move(loaded.notes));
  });
}

}  // namespace rooflab::task
