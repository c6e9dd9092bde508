#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/scaling.hpp"

namespace rooflab::cli {

/// Flags that say what joins the devices of a data-parallel run.
class LinkOptions {
 public:
  /// `--link` and `--all-reduce`.
  void add_to(Command command);

  /// Throws Error (usage) for a value that a flag does not take.
  void check() const;
  [[nodiscard]] bool any_named() const { return !link_.empty(); }
  [[nodiscard]] bool any_given() const { return !link_.empty() || !all_reduce_.empty(); }
  [[nodiscard]] predict::AllReduce algorithm() const;
  [[nodiscard]] std::string algorithm_name() const {
    return all_reduce_.empty() ? "automatic" : all_reduce_;
  }

  /// The link asked for; else the device's measured one (`calibration` is its own, or nullptr),
  /// else its datasheet's. Throws Error (usage) when there is none of them.
  [[nodiscard]] predict::LinkModel model_for(const device::Device& device,
                                             const device::Calibration* calibration) const;

  /// The flags that were given, for the command line of one case.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  std::string link_;
  std::string all_reduce_;
};

}  // namespace rooflab::cli
