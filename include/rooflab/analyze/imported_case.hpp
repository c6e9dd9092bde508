#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/kernel_summary.hpp"
#include "rooflab/analyze/work_check.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {

/// What a chip does at most.
struct ChipPeak {
  std::string what;  ///< `fp32`, `tensor tf32`
  double flops_per_s = 0.0;
};

/// What another tool recorded, with what follows from it.
struct ImportedCase {
  std::string source;  ///< the file, as the user named it
  std::string title;   ///< its name without folders
  record::Record record;
  record::KernelSums totals;
  std::vector<KernelGroup> kernels;        ///< one for each name, by falling time
  std::optional<record::KernelSums> step;  ///< one whole step, its kernels concurrent
  std::optional<double> step_s;            ///< median of the steps without counters
  std::vector<ChipPeak> peaks;             ///< at the clock that the step was counted at
  std::optional<trace::TraceAnalysis> trace;
  std::optional<device::Device> device;  ///< the catalog's; nullopt where none fits: see the note
  std::optional<Note> device_note;
  std::optional<WorkCheck> check;  ///< set where the user named the network that ran

  /// Totals of the kernels; where these have times only, because steps are counted whole at less
  /// cost, the step's figures stand in.
  [[nodiscard]] record::KernelSums shown_totals() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<ImportedCase>);

/// `roofs`: whose device the kernels are set against instead of the catalog's for their own.
[[nodiscard]] ImportedCase imported_case_of(record::Record record, std::string source,
                                            const device::Catalog& catalog,
                                            const std::optional<device::Device>& roofs = {});

}  // namespace rooflab::analyze
