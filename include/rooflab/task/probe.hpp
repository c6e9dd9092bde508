#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Parts of a probe, in the order in which they are measured.
enum class ProbePart { bandwidth, l2, peaks, transfers, launch, vector_addition, links, ops, host };
constexpr auto names_in_order(For<ProbePart>) {
  return names_through<ProbePart::host>("bandwidth", "l2", "peaks", "transfers", "launch",
                                        "vector_addition", "links", "ops", "host");
}

/// Request to calibrate a device: measured on this machine, or from published tables.
struct ProbeRequest {
  static constexpr std::string_view command = "probe";

  /// Empty: the first GPU, else the CPU; for tables a device of the catalog
  std::string device = {};
  std::string save = {};  ///< file for the calibration; empty: none
  bool quick = false;
  std::optional<double> ops_time = {};  ///< seconds for single ops
  /// Whether single ops are timed with operands still in the caches from the last repetition.
  bool repeat_operands = false;
  std::vector<ProbePart> only = {};  ///< empty: all
  bool links = false;              ///< measure the part links, and only this where `only` is empty
  std::string python = "python3";  ///< Python whose PyTorch gives issue costs; `none`: skip
  std::string add = {};            ///< calibration to add to
  std::string refit = {};          ///< calibration whose rows are fitted again instead
  std::vector<std::string> from = {};  ///< descriptions of published tables to read instead
  std::string tables = {};             ///< folder of the tables; empty: that of each description
  DeviceFiles device_files = {};

  [[nodiscard]] bool wants(ProbePart part) const;
};
const Parameters& parameters_of(For<ProbeRequest>);

struct ProbeResult {
  device::ProbedDevice probed = {};
  bool interrupted = false;           ///< measurements are kept next to the file to be saved
  bool cut_short = false;             ///< a worker failed early; a note has the reason
  std::optional<Error> failure = {};  ///< why the calibration could not be saved
};

/// Runs the workers one after another, fits their measurements and saves them. Notes of the
/// calibration name the parts that this machine cannot measure. Throws Error (usage, system), Error
/// (input) when another process makes the same file, and Error (capability) when a worker or the
/// device is missing.
[[nodiscard]] ProbeResult run(const ProbeRequest& request, Session& session);

}  // namespace rooflab::task
