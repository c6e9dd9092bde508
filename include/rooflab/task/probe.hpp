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

/// What can be measured, in the order in which it is.
enum class ProbePart { bandwidth, l2, peaks, transfers, launch, vector_addition, links, ops, host };
constexpr auto names_in_order(For<ProbePart>) {
  return names_through<ProbePart::host>("bandwidth", "l2", "peaks", "transfers", "launch",
                                        "vector_addition", "links", "ops", "host");
}

/// What a device can do: measured here, or taken from published tables.
struct ProbeRequest {
  static constexpr std::string_view command = "probe";

  std::string device;  ///< here, empty: the first GPU, else the CPU; for tables one of the catalog
  std::string save;    ///< file for the calibration; empty: none
  bool quick = false;
  std::optional<double> ops_time;  ///< seconds for single ops
  /// Times of single ops whose operands are still in the caches, as by their last repetition.
  bool repeat_operands = false;
  std::vector<ProbePart> only;     ///< empty: all
  bool links = false;              ///< the part links, and nothing else where `only` is empty
  std::string python = "python3";  ///< whose PyTorch is asked for issue costs; `none`: no one's
  std::string add;                 ///< calibration to add to
  std::string refit;               ///< calibration whose rows are fitted again instead
  std::vector<std::string> from;   ///< descriptions of published tables to read instead
  std::string tables;              ///< their folder; empty: that of each description
  DeviceFiles device_files;

  [[nodiscard]] bool wants(ProbePart part) const;
};
const Parameters& parameters_of(For<ProbeRequest>);

struct ProbeResult {
  device::ProbedDevice probed;
  bool interrupted = false;           ///< what was measured is kept beside the file to be saved
  bool cut_short = false;             ///< a worker failed before it was done; a note says why
  std::optional<Error> failure = {};  ///< why the calibration could not be saved
};

/// Runs the workers, one after another, fits what they measured and saves it. Parts that this
/// machine cannot measure are named in the calibration's notes. Throws Error (usage; input, when
/// another process makes the same file; capability, when a worker or the device is not there;
/// system).
[[nodiscard]] ProbeResult run(const ProbeRequest& request, Session& session);

}  // namespace rooflab::task
