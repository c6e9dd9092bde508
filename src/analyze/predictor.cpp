#include "rooflab/analyze/predictor.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/memo.hpp"
#include "kept_models.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::analyze {
namespace {

constexpr std::size_t most_names = 1000;

using SharedDevice = std::shared_ptr<const device::Device>;

/// Throws Error (usage) where the step computes in a type that the device does not have. A recorded
/// step is as it ran.
void check_lowered(const schedule::Schedule& schedule, const device::Device& device) {
  if (!schedule.lives.empty()) return;
  const Precision there = device::precision_on(device, schedule.precision);
  if (there == schedule.precision) return;
  throw Error(ErrorKind::usage,
              format("the step is lowered for {}, which {} runs as {}", name_of(schedule.precision),
                     device.name, name_of(there)),
              "lower it with lowering_on(device, options), or give the network");
}

void check(const PredictionOptions& options) {
  if (options.model != PredictionModel::ppp || options.percent) return;
  throw Error(ErrorKind::usage, "PALEO's model needs a percentage of the peaks",
              "PredictionOptions::percent, for example {.compute = 0.62}");
}

}  // namespace

struct Predictor::State {
  State(device::Catalog devices, KnownCalibrations calibrations)
      : catalog(std::move(devices)), known(std::move(calibrations)), models(known) {}

  device::Catalog catalog;
  KnownCalibrations known;
  KeptModels models;
  mutable Memo<std::string, SharedDevice> named{most_names};
};

Predictor::Predictor() : Predictor(device::Catalog::built_in(), KnownCalibrations::built_in()) {}
Predictor::Predictor(device::Catalog catalog, KnownCalibrations known)
    : state_(std::make_shared<const State>(std::move(catalog), std::move(known))) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const Predictor& Predictor::built_in() {
  static const Predictor predictor;
  return predictor;
}

const device::Catalog& Predictor::catalog() const { return state_->catalog; }
const KnownCalibrations& Predictor::calibrations() const { return state_->known; }

SharedDevice Predictor::resolved(const AskedDevice& device) const {
  if (device.own_ != nullptr) return {SharedDevice(), device.own_};  // the caller keeps it
  const std::string name(device.name_);
  return state_->named.get(
      name, [&] { return std::make_shared<const device::Device>(state_->catalog.find(name)); });
}

device::Device Predictor::device(std::string_view name) const { return *resolved(name); }

std::shared_ptr<const CalibratedModel> Predictor::model_for(const AskedDevice& device,
                                                            const IssuerChoice& issuer) const {
  return state_->models.model_for(*resolved(device), issuer);
}

CaseResult Predictor::predict(const schedule::Schedule& schedule, const AskedDevice& asked,
                              const PredictionOptions& options) const {
  check(options);
  const SharedDevice device = resolved(asked);
  check_lowered(schedule, *device);
  std::shared_ptr<const CalibratedModel> model = model_for(*device, options.issuer);
  if (!model && options.model == PredictionModel::calibrated) {
    throw no_calibration_fits(*device, "rooflab probe makes one on the device or on a relative");
  }
  if (model && schedule.exchanges()) {
    CalibratedModel linked = *model;
    linked.set(state_->known.link_of(*device));
    model = std::make_shared<const CalibratedModel>(std::move(linked));
  }
  return predict_case(schedule, *device, options, model.get());
}

CaseResult Predictor::predict(const graph::Graph& network, const AskedDevice& asked,
                              const schedule::LoweringOptions& lowering,
                              const PredictionOptions& options) const {
  const SharedDevice device = resolved(asked);
  CaseResult result =
      predict(schedule::lower(network, lowering_on(*device, lowering)), *device, options);
  if (auto note = autocast_note(*device, lowering.precision)) {
    result.notes.push_back(*std::move(note));
  }
  return result;
}

CaseResult Predictor::predict(const recording::Recording& recording, const AskedDevice& device,
                              const PredictionOptions& options) const {
  CaseResult result = predict(recording::lower(recording), device, options);
  if (!recording.name.empty()) result.model = recording.name;
  add_notes(result.notes, recording::notes_of(recording));
  return result;
}

CaseResult Predictor::predict_onnx(std::string_view bytes, const AskedDevice& device,
                                   const onnx::ImportOptions& import,
                                   const schedule::LoweringOptions& lowering,
                                   const PredictionOptions& options) const {
  const onnx::ImportResult read = onnx::read_onnx_bytes(bytes, "the bytes given", import);
  CaseResult result = predict(read.graph, device, lowering, options);
  add_notes(result.notes, read.notes);
  return result;
}

BatchFit Predictor::fit(const graph::Graph& network, const AskedDevice& asked,
                        const schedule::LoweringOptions& lowering, std::int64_t most) const {
  using predict::Verdict;
  const SharedDevice device = resolved(asked);
  const std::optional<Bytes> room = device::memory_of(*device);
  if (!room) {
    throw Error(ErrorKind::usage, format("the memory of {} is not known", device->name),
                "its device file needs `memory`: docs/formats/device.md");
  }
  const std::shared_ptr<const CalibratedModel> model = model_for(*device);
  const schedule::LoweringOptions own = lowering_on(*device, lowering);
  const auto lowered = [&](std::int64_t batch) {
    return schedule::lower(graph::rebatch(network, batch), own);
  };
  struct Judgement {
    double least_bytes = 0.0;
    std::optional<predict::Fit> fit;  ///< nullopt: ops are not counted
  };
  std::map<std::int64_t, Judgement> known;  // three searches meet the same batches
  const auto judged = [&](std::int64_t batch) -> const Judgement& {
    const auto found = known.find(batch);
    if (found != known.end()) return found->second;
    const predict::MemoryEstimate memory = memory_of(lowered(batch), *device, model.get());
    return known
        .emplace(batch, Judgement{memory.least_total.as_double(), predict::fit(memory, *room)})
        .first->second;
  };
  BatchFit result;
  const auto refused = [&](std::int64_t batch) {
    if (judged(batch).fit) return false;
    result = {.uncounted = count_network(lowered(batch)).uncounted};
    return true;
  };
  if (refused(1)) return result;
  const auto at_least = [&](Verdict verdict) {
    return [&, verdict](std::int64_t batch) {
      const std::optional<predict::Fit>& fit = judged(batch).fit;
      return !fit || fit->verdict <= verdict;
    };
  };
  const predict::CountRange range{.least = 1, .most = most};
  const auto used = [&](std::int64_t batch) { return std::optional(judged(batch).least_bytes); };
  result.largest =
      predict::largest_count(range, at_least(Verdict::risky),
                             predict::proportional_start(range, used, room->as_double()))
          .count;
  // A larger step may have ops in it that count for nothing in a small one.
  if (!result.largest || refused(*result.largest)) return result;
  const predict::SearchStart start{*result.largest, std::max<std::int64_t>(1, *result.largest / 8)};
  result.likely = predict::every_count_up_to(range, at_least(Verdict::likely), start).count;
  result.fits = predict::every_count_up_to(range, at_least(Verdict::fits), start).count;
  return result;
}

}  // namespace rooflab::analyze
