#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "device_options.hpp"
#include "model_options.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/case.hpp"
#include "timing_options.hpp"

namespace rooflab::cli {

/// A case to run, complete with identity.
struct PlannedCase {
  engine::Case request;
  std::vector<std::string> notes;  ///< of the importer and the rewrite
};

/// Flags of `measure`: which networks or layer, where, and how closely.
class MeasureOptions {
 public:
  void add_to(Command command);

  /// Every combination, by model, batch, precision, then device. Throws Error (usage, input) for
  /// anything that is wrong, before anything runs. `here`, the worker's devices, settles what `amp`
  /// is on each of them; two cases that come to the same are one.
  [[nodiscard]] std::vector<PlannedCase> plan(const engine::Capabilities& here = {}) const;

  [[nodiscard]] device::Catalog catalog() const { return device_files_.catalog(); }
  /// Of `--limit-device`.
  [[nodiscard]] std::optional<device::Device> limit_device() const;
  [[nodiscard]] double timeout_s() const;
  [[nodiscard]] bool layer_tables() const { return per_layer_; }
  [[nodiscard]] bool counters() const { return counters_; }
  [[nodiscard]] bool strict() const { return network_.strict(); }

 private:
  [[nodiscard]] std::vector<std::string> devices() const;
  [[nodiscard]] engine::MeasureSettings settings() const;
  [[nodiscard]] std::string data() const;
  void add_network(std::vector<PlannedCase>& cases, const LoadedModel& loaded,
                   std::optional<std::int64_t> batch, const engine::Capabilities& here) const;
  [[nodiscard]] std::string command_line(const record::CaseIdentity& identity,
                                         std::optional<std::int64_t> batch) const;

  std::vector<std::string> models_;
  ModelOptions network_;
  DeviceOptions device_files_;
  std::vector<std::string> devices_;
  std::string rewrite_;
  std::string layer_;
  std::string input_;
  std::string data_ = "dummy";
  std::string weights_ = "random";
  std::string limit_device_;
  // As typed; empty: not given.
  std::string data_workers_;
  std::string timeout_;
  bool per_layer_ = false;
  bool no_layers_ = false;
  bool counters_ = false;
  TimingOptions timing_;
};

}  // namespace rooflab::cli
