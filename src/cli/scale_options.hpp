#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration_options.hpp"
#include "command.hpp"
#include "device_options.hpp"
#include "link_options.hpp"
#include "model_options.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/engine/ranks.hpp"
#include "timing_options.hpp"

namespace rooflab::cli {

/// Flags of `scale`: which networks, on which devices, how they grow.
class ScaleOptions {
 public:
  void add_to(Command command);

  /// Every run, by model, precision and number of ranks; one that two kinds of scaling share is
  /// there once. Under a launcher, `ranks` of it, only runs of that many. Throws Error (usage,
  /// input) for anything that is wrong, before anything runs. `here`, the worker's devices, settles
  /// what `amp` is: fp16 for all ranks where one of their devices does not compute bf16.
  [[nodiscard]] std::vector<engine::ScaleRequest> plan(std::optional<int> ranks,
                                                       const engine::Capabilities& here = {}) const;

  [[nodiscard]] std::vector<std::string> devices() const;
  [[nodiscard]] bool strict() const { return network_.strict(); }
  /// A prediction for each run that one can be made for. `notes` says where there is none.
  [[nodiscard]] std::vector<std::optional<analyze::RunPrediction>> predict(
      const std::vector<record::ScaleRun>& runs, std::vector<std::string>& notes) const;

 private:
  struct Size {
    int ranks = 1;
    std::int64_t batch = 1;  ///< of one
  };
  [[nodiscard]] std::vector<int> numbers_of_ranks() const;
  [[nodiscard]] std::vector<Size> sizes(std::optional<int> ranks) const;
  [[nodiscard]] engine::MeasureSettings settings() const;
  [[nodiscard]] double rank_timeout_s() const;
  [[nodiscard]] std::string command_line(const record::CaseIdentity& identity, int ranks) const;

  std::vector<std::string> models_;
  ModelOptions network_;
  DeviceOptions device_files_;
  CalibrationOptions calibrations_;
  LinkOptions link_;
  std::vector<std::string> devices_;
  // As typed; empty: not given.
  std::string gpus_;
  std::string scaling_ = "weak";
  std::string predict_device_;
  std::string timeout_;
  bool steps_only_ = false;
  TimingOptions timing_;
};

}  // namespace rooflab::cli
