#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/recording/recording.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// A device of a question: any name that Catalog::find() understands, or a device of the caller.
class AskedDevice {
 public:
  AskedDevice(const char* name) : name_(name) {}          // NOLINT(google-explicit-constructor)
  AskedDevice(std::string_view name) : name_(name) {}     // NOLINT(google-explicit-constructor)
  AskedDevice(const std::string& name) : name_(name) {}   // NOLINT(google-explicit-constructor)
  AskedDevice(const device::Device& own) : own_(&own) {}  // NOLINT(google-explicit-constructor)

 private:
  friend class Predictor;
  std::string_view name_;
  const device::Device* own_ = nullptr;
};

/// Largest batches of a network on a device, as `rooflab fit` finds them.
struct BatchFit {
  /// All batches up to it are `fits`; nullopt: not even 1 is
  std::optional<std::int64_t> fits = {};
  std::optional<std::int64_t> likely = {};   ///< all batches up to it are `fits` or `likely`
  std::optional<std::int64_t> largest = {};  ///< the largest without the verdict `oom`
  /// Ops whose memory may be large and is not counted: the three are then not known. Empty: none.
  std::vector<UncountedOp> uncounted = {};
};

/// Answers for a service: devices, calibrations and what was fitted to them, made once.
///
///     const Predictor predictor;                       // one for all threads
///     const CaseResult step = predictor.predict(zoo::build("resnet18", {.batch = 8}), "h200",
///                                               {.phase = Phase::training});
///     const BatchFit batches = predictor.fit(net.graph, "t4", {.precision = Precision::fp16});
///
/// Any number of threads may use one object. It remembers what it worked out, up to some ten
/// thousand ops; docs/library.md has times and sizes. It starts no process and writes nothing.
class Predictor {
 public:
  /// Makes a predictor of the devices and calibrations that are compiled in.
  Predictor();
  /// Makes a predictor of the caller's devices and calibrations.
  Predictor(device::Catalog catalog, KnownCalibrations known);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// The predictor behind the free functions, made at the first call.
  [[nodiscard]] static const Predictor& built_in();

  [[nodiscard]] const device::Catalog& catalog() const;
  [[nodiscard]] const KnownCalibrations& calibrations() const;
  /// The device that `name` means. Throws as Catalog::find().
  [[nodiscard]] device::Device device(std::string_view name) const;

  /// The model for predictions on the device (KnownCalibrations::model_for(), with its errors), of
  /// which there is one for all callers; nullptr: no calibration fits.
  [[nodiscard]] std::shared_ptr<const CalibratedModel> model_for(
      const AskedDevice& device, const IssuerChoice& issuer = {}) const;

  /// Predicts one step of a network, lowered for the device: `amp` becomes the type that the device
  /// computes. Throws Error (usage) for an unknown device, where the calibrated model is asked for
  /// and no calibration fits, for PALEO's model without a percentage, and for an issuer whose costs
  /// the calibration does not have.
  [[nodiscard]] CaseResult predict(const graph::Graph& network, const AskedDevice& device,
                                   const schedule::LoweringOptions& lowering = {},
                                   const PredictionOptions& options = {}) const;
  /// Predicts a step that was lowered before. Throws Error (usage) also for a step in `amp` that
  /// was not lowered for this device, where the device computes another type (lowering_on()).
  [[nodiscard]] CaseResult predict(const schedule::Schedule& schedule, const AskedDevice& device,
                                   const PredictionOptions& options = {}) const;
  /// Predicts the step of a recording; its phase and precision are its own.
  [[nodiscard]] CaseResult predict(const recording::Recording& recording, const AskedDevice& device,
                                   const PredictionOptions& options = {}) const;
  /// Predicts a step of the network in an ONNX file's bytes; `import` has its batch and its other
  /// open extents. The importer's notes are in the result. Throws also as onnx::read_onnx_bytes().
  [[nodiscard]] CaseResult predict_onnx(std::string_view bytes, const AskedDevice& device,
                                        const onnx::ImportOptions& import = {},
                                        const schedule::LoweringOptions& lowering = {},
                                        const PredictionOptions& options = {}) const;

  /// Finds the largest batches of a network, up to `most`. Lowers the network for some twenty
  /// batches. Throws Error (usage) for an unknown device and for one without a memory size.
  [[nodiscard]] BatchFit fit(const graph::Graph& network, const AskedDevice& device,
                             const schedule::LoweringOptions& lowering = {},
                             std::int64_t most = std::int64_t{1} << 24) const;

 private:
  struct State;
  [[nodiscard]] std::shared_ptr<const device::Device> resolved(const AskedDevice& device) const;

  std::shared_ptr<const State> state_;
};

}  // namespace rooflab::analyze
