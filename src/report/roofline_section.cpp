#include <algorithm>

#include "page_parts.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/report/roofline_chart.hpp"

namespace rooflab::report {
namespace {

using analyze::CaseResult;
using analyze::ImportedCase;
using analyze::MeasuredCase;

/// What belongs below one device's roofs.
struct OfDevice {
  device::Device device;
  std::vector<const CaseResult*> limits;
  std::vector<const MeasuredCase*> measured;
  std::vector<const ImportedCase*> imported;
};

}  // namespace

PageSection roofline_section(std::span<const CaseResult> predictions,
                             std::span<const MeasuredCase> measured,
                             std::span<const ImportedCase> imported) {
  std::vector<OfDevice> devices;  // in the order in which they came up
  const auto of = [&devices](const device::Device& device) -> OfDevice& {
    const auto known = std::ranges::find_if(
        devices, [&](const OfDevice& each) { return each.device.id == device.id; });
    return known != devices.end() ? *known : devices.emplace_back(OfDevice{device, {}, {}, {}});
  };
  for (const CaseResult& result : predictions) of(result.device).limits.push_back(&result);
  for (const MeasuredCase& each : measured) {
    if (each.limit_s() && each.steps) of(each.model->device).measured.push_back(&each);
  }
  for (const ImportedCase& each : imported) {
    if (each.device && each.totals.at(record::KernelFigure::collected_flops).value_or(0.0) > 0.0) {
      of(*each.device).imported.push_back(&each);
    }
  }
  PageSection section{.heading = "Rooflines"};
  for (const OfDevice& each : devices) {
    analyze::Roofline roofline =
        analyze::roofline_of(each.device, each.limits, each.measured, analyze::PointPer::layer);
    for (const ImportedCase* kernels : each.imported) {
      analyze::add_kernels(
          roofline, analyze::kernel_series(kernels->kernels, kernels->totals, kernels->title));
    }
    section.charts.push_back({"", roofline_chart(roofline)});
  }
  return section;
}

}  // namespace rooflab::report
