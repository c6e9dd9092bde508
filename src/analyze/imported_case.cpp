#include "rooflab/analyze/imported_case.hpp"

#include <filesystem>
#include <utility>

#include "rooflab/analyze/counted_layers.hpp"
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
  // Tensor types without any work in the whole step are not asked of every kernel: theirs is zero.
  if (imported.record.kernels && imported.record.counting) {
    imported.record.kernels = with_known_zeros(*imported.record.kernels, *imported.record.counting);
  }
  if (const auto& kernels = imported.record.kernels) {
    const auto& capability = imported.record.environment.device.compute_capability;
    imported.totals = kernel_totals(*kernels, capability);
    imported.kernels = kernel_groups(*kernels, capability);
  }
  if (imported.record.trace) imported.trace = trace::analyze_trace(imported.record);
  return imported;
}

}  // namespace rooflab::analyze
