#include "rooflab/analyze/imported_case.hpp"

#include <filesystem>
#include <utility>

#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {

ImportedCase imported_case_of(record::Record record, std::string source,
                              const device::Catalog& catalog,
                              const std::optional<device::Device>& roofs) {
  ImportedCase imported;
  imported.source = std::move(source);
  imported.title = std::filesystem::path(imported.source).filename().string();
  imported.record = std::move(record);
  imported.device =
      roofs ? roofs
            : find_device(catalog, imported.record.environment.device, imported.device_note);
  if (const auto& kernels = imported.record.kernels) {
    const auto& capability = imported.record.environment.device.compute_capability;
    imported.totals = kernel_totals(*kernels, capability);
    imported.kernels = kernel_groups(*kernels, capability);
  }
  if (imported.record.trace) imported.trace = analyze_trace(imported.record);
  return imported;
}

}  // namespace rooflab::analyze
