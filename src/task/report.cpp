#include "rooflab/task/report.hpp"

#include "rooflab/base/parameter_list.hpp"
#include "rooflab/task/result_reader.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<ReportRequest>) {
  static const Parameters all = {
      parameter<&ReportRequest::results>(
          "RESULT...", "records, JSON of predict, measure or train, ncu CSV, traces, or folders",
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
  if (!request.as_device.empty()) device = catalog.find(request.as_device);
  return read_result_set(request.results, catalog, device, request.calibrations.lookup(known),
                         session);
}

}  // namespace rooflab::task
