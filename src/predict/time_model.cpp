// The time of an op on a device.
//
// For a kind that was measured on the device: the model of that kind (op_model.cpp). Else the
// nearest relative that was measured on that kind, its time carried over (carrying.cpp), kind by
// kind: a device may have its own convolutions, the norms of a device of its architecture and the
// optimizer of another. Else, of an op in 16 bits, the nearest relative that was measured on the
// other 16-bit type. Else a neighbouring kind of the nearest relative that has one
// (source_model.cpp).
//
// Recurrent layers of a kind that nobody measured, in any type, are taken as the products and
// elementwise ops that they are made of (recurrent_parts.cpp), each estimated by itself.
//
// Level. Where the device, or a near relative of it, was measured on the forward pass of an op and
// the gradient has to be carried from elsewhere, the forward pass shows how far carrying from there
// is off: the median of measured over carried times of that kind. What was learnt about the forward
// pass is applied to its gradients, the less the farther the relative is.
//
// Never faster than a better device. Where the device is nowhere better (is_nowhere_better) than
// the one whose time was carried, or than one whose op of that very kind `rooflab probe` measured,
// the op takes at least that device's time. Published rows, of other software or of a shorter run
// than the probe's, may say otherwise; by how much they do widens the deviation. Published rows
// bound nothing but what is carried from them. What the source itself bounds, Winograd's algorithm
// and the level of gradients, is no less sure for it.
//
// Within an architecture all devices are put in order (device_family.cpp).
//
// Never faster than the memory. What an op must read and write and what the L2 cache cannot hold
// takes at least its time at the datasheet's bandwidth; at the share of it that boards sustain,
// where the time was not measured on the device.
//
// Never faster than the board keeps up. Single ops are measured in short bursts, at clocks that the
// board's power does not allow for long. Where the calibration has the rate of long, large products
// of a path (`sustained.bf16_tensor_fp32`), a product of two matrices takes at least its work at
// that rate: a step that large products fill runs at that clock. It bounds the device's own
// measurements, and those of devices that are nowhere better.
//
// FP32 convolutions of 3x3 with stride 1 are special. Since version 5 cuDNN runs them by Winograd's
// algorithm where that is faster: F(2x2, 3x3) makes 16 products for 4 results of 9 products each,
// 2.25 times fewer. Where the source runs the direct algorithm, a carried time is the lesser of
// that one's and of Winograd's, taken as the 16 products [tiles x Cin] [Cin x Cout] that it
// consists of, as one linear op of the same extents, which brings its own measured efficiency, and
// the transforms as a read of the input and a write of the output. So a prediction may lie below
// the limit, which is of the direct algorithm. Source: Lavin and Gray, "Fast algorithms for
// convolutional neural networks", CVPR 2016, sections 4.1 and 5; NVIDIA, cuDNN 5 release notes
// (April 2016).

#include "rooflab/predict/time_model.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "achievable_rate.hpp"
#include "base/assert.hpp"
#include "base/format.hpp"
#include "base/memo.hpp"
#include "carrying.hpp"
#include "device_family.hpp"
#include "product_type.hpp"
#include "rooflab/base/statistics.hpp"
#include "source_model.hpp"

namespace rooflab::predict {
namespace {

constexpr std::size_t most_levels = 4096;

/// sd of log(time) that all ops carried from one device have in common.
double common_deviation(Relation relation) {
  switch (relation) {
    case Relation::same_device:
      return 0.0;
    case Relation::same_chip:
      return 0.08;
    case Relation::same_architecture:
      return 0.12;
    case Relation::same_maker:
      return 0.2;
    case Relation::other_maker:
      return 0.45;
  }
  return 0.0;
}

/// How much of a level that was seen on a relative holds for the device.
double level_share(Relation relation) {
  switch (relation) {
    case Relation::same_device:
    case Relation::same_chip:
      return 0.7;
    case Relation::same_architecture:
      return 0.35;
    case Relation::same_maker:
    case Relation::other_maker:
      return 0.0;
  }
  return 0.0;
}

/// A product's time at the rate that the measured device keeps up in long products; 0: not known.
double time_at_sustained_rate(const OpShape& shape, const SourceModel& source) {
  if (shape.op != "linear" && shape.op != "matmul" && shape.op != "grouped_matmul") return 0.0;
  const std::optional<ArithmeticPath> path = path_of_type(shape.type, source.device());
  if (!path) return 0.0;
  const device::MeasuredFigure* const rate =
      source.calibration().find(format("sustained.{}", name_of(*path)));
  return rate == nullptr ? 0.0 : work_of(shape).matrix_flops / rate->value;
}

}  // namespace

CalibratedDevice with_models(CalibratedDevice calibrated) {
  if (!calibrated.models) {
    calibrated.models =
        std::make_shared<const SourceModel>(calibrated.calibration, calibrated.device);
  }
  return calibrated;
}

/// What several threads work out, and copies share.
struct TimeModel::Known {
  std::once_flag made;  ///< `family`
  Family family;
  Memo<std::string, double> levels{most_levels};  ///< keys: kind, source, nearer relative
};

TimeModel::TimeModel(std::vector<CalibratedDevice> sources, device::Device target,
                     std::vector<device::Device> siblings)
    : calibrated_(std::move(sources)),
      target_(std::move(target)),
      known_(std::make_shared<Known>()) {
  ROOFLAB_ASSERT(!calibrated_.empty());
  for (CalibratedDevice& source : calibrated_) {
    source = with_models(std::move(source));
    sources_.push_back(source.models);
  }
  for (device::Device& sibling : siblings) {
    if (sibling.id == target_.id) continue;
    if (relation_of(target_, sibling) > Relation::same_architecture) continue;
    siblings_.push_back(std::move(sibling));
  }
}
TimeModel::TimeModel(const TimeModel& like, device::Device target)
    : calibrated_(relatives_of(target, like.calibrated_)),
      target_(std::move(target)),
      known_(std::make_shared<Known>()) {
  for (const CalibratedDevice& each : calibrated_) sources_.push_back(each.models);
}

bool TimeModel::carried() const { return source().id != target_.id; }
const device::Calibration& TimeModel::calibration() const {
  return sources_.front()->calibration();
}
const device::Device& TimeModel::source() const { return sources_.front()->device(); }

std::optional<TimeModel::ObservedFigure> TimeModel::observed_figure(std::string_view name) const {
  for (const auto& source : sources_) {
    const std::vector<std::string>& known = source->entry().figures;
    if (std::ranges::find(known, name) == known.end()) continue;
    return ObservedFigure{source->calibration().find(name)->value, &source->device()};
  }
  return std::nullopt;
}

double TimeModel::figure_or(std::string_view name, double otherwise) const {
  const std::optional<ObservedFigure> figure = observed_figure(name);
  return figure ? figure->value : otherwise;
}

bool TimeModel::probed() const {
  return !carried() &&
         std::ranges::any_of(sources_.front()->entry().kinds,
                             [](const device::CalibratedKind& kind) { return !kind.published; });
}

OpEstimate TimeModel::estimate(const OpShape& shape) const {
  OpEstimate result =
      siblings_.empty() ? estimate_alone(shape) : family().devices->estimate(shape, family().place);
  // What does not fit into the cache crosses the memory at least once.
  result.time_s = std::max(result.time_s, least_memory_time(shape, target_));
  return result;
}

const TimeModel::Family& TimeModel::family() const {
  std::call_once(known_->made, [&] {
    std::vector<TimeModel> members;
    members.push_back(TimeModel(*this, target_));
    for (const device::Device& sibling : siblings_) members.push_back(TimeModel(*this, sibling));
    known_->family = {std::make_shared<const DeviceFamily>(std::move(members)), 0};
  });
  return known_->family;
}

void TimeModel::share_work_of(const TimeModel& other) {
  if (siblings_.empty() || other.siblings_.empty()) return;
  if (relation_of(target_, other.target_) > Relation::same_architecture) return;
  const std::shared_ptr<const DeviceFamily>& devices = other.family().devices;
  if (const auto place = devices->place_of(target_)) {
    std::call_once(known_->made, [&] { known_->family = {devices, *place}; });
  }
}

OpEstimate TimeModel::estimate_alone(const OpShape& shape) const {
  if (is_recurrent(shape.op) && std::ranges::none_of(sources_, [&](const auto& s) {
        return s->nearest(shape).has_value();
      })) {
    return from_parts(shape);
  }
  OpEstimate result = by_order(shape);
  if (result.device == target_.id) {
    result.time_s = std::max(result.time_s, time_at_sustained_rate(shape, *sources_.front()));
  }
  if (result.source != TimeSource::measured_kind) {
    result.time_s =
        std::max(result.time_s, least_memory_time(shape, target_) / memory_share(target_));
  }
  for (const auto& source : sources_) {
    if (source->device().id == target_.id) continue;
    const bool carried = source->device().id == result.device;
    if (!is_nowhere_better(target_, source->device())) continue;
    if (!carried && !source->has_probed(shape)) continue;
    const double least =
        std::max(least_time(shape, *source, target_), time_at_sustained_rate(shape, *source));
    if (least <= result.time_s) continue;
    if (!carried) {
      result.deviation = std::hypot(result.deviation, std::log(least / result.time_s));
    }
    result.time_s = least;
  }
  return result;
}

OpEstimate TimeModel::by_order(const OpShape& shape) const {
  for (const auto& source : sources_) {
    const auto own = source->own(shape);
    if (!own) continue;
    if (source->device().id != target_.id) return carried_from(*source, shape);
    const OpModel::Estimate found = own->estimate();
    return {found.time_s,
            found.deviation,
            0.0,
            TimeSource::measured_kind,
            own->kind,
            source->device().id,
            source->origin_of(own->kind)};
  }
  // fp16 and bf16 run alike, so that a farther device's other half is nearer than a near one's
  // FP32.
  if (const OpShape twin = other_half(shape); twin != shape) {
    for (const auto& source : sources_) {
      if (!source->own(twin)) continue;
      if (source->device().id == target_.id) break;  // its own nearest kind, below
      return carried_from(*source, shape);
    }
  }
  for (const auto& source : sources_) {
    const auto found = source->nearest(shape);
    if (!found) continue;
    if (source->device().id != target_.id) return carried_from(*source, shape);
    const OpModel::Estimate estimate = found->estimate();
    return {estimate.time_s,
            estimate.deviation,
            0.0,
            TimeSource::other_kind,
            found->kind,
            source->device().id,
            source->origin_of(found->kind)};
  }
  return carried_once(*sources_.front(), shape);
}

bool TimeModel::has_row_slower(const OpShape& shape, double times) const {
  const auto own = std::ranges::find(sources_, target_.id,
                                     [](const auto& source) { return source->device().id; });
  if (own == sources_.end() || !(*own)->own(shape)) return false;
  const double bytes = work_of(shape).bytes;
  OpShape measured = shape;
  return std::ranges::any_of(
      (*own)->calibration().ops.at(shape.kind()).rows, [&](const device::OpRow& row) {
        measured.sizes = row.sizes;
        return std::abs(std::log2(work_of(measured).bytes / bytes)) <= 1.0 &&
               row.time_s > times * datasheet_times(measured, target_).longest();
      });
}

OpEstimate TimeModel::from_parts(const OpShape& shape) const {
  constexpr double overlap_deviation = 0.5;  // parts may run at the same time, or as one kernel
  OpEstimate result;
  double longest = 0.0;
  for (const OpPart& part : parts_of_recurrent(shape)) {
    OpEstimate one = estimate(part.shape);
    const double time = part.count * one.time_s;
    result.time_s += time;
    result.deviation += time * one.deviation;
    result.common_deviation += time * one.common_deviation;
    if (time <= longest) continue;
    longest = time;
    result.kind = std::move(one.kind);
    result.device = std::move(one.device);
    result.origin = std::move(one.origin);
  }
  result.deviation = std::hypot(result.deviation / result.time_s, overlap_deviation);
  result.common_deviation /= result.time_s;
  result.source = TimeSource::other_kind;
  return result;
}

OpEstimate TimeModel::carried_once(const SourceModel& source, const OpShape& shape) const {
  const CarriedTime direct = carried_time(shape, source, target_);
  const auto found = source.nearest(shape);
  OpEstimate result{direct.time_s,
                    direct.deviation,
                    common_deviation(relation_of(target_, source.device())),
                    !found                        ? TimeSource::roofline
                    : found->kind == shape.kind() ? TimeSource::carried_kind
                                                  : TimeSource::other_kind,
                    found ? found->kind : "limit",
                    found ? source.device().id : "",
                    found ? source.origin_of(found->kind) : ""};
  const bool square = shape.op == "conv2d" && shape.type == "fp32" && shape.sizes[5] == 9.0 &&
                      shape.sizes[6] == 1.0 && shape.sizes[2] >= 16.0 && shape.sizes[3] >= 16.0 &&
                      target_.vendor == "NVIDIA";
  // On boards of the source's chip the library chose among all algorithms already.
  const bool as_there = found && relation_of(target_, source.device()) <= Relation::same_chip;
  if (!square || direct.saves_work || as_there) return result;
  constexpr double products = 16.0;
  constexpr double results = 4.0;
  const double tiles = shape.sizes[0] * shape.sizes[1] / results;
  const OpShape linear{
      "linear", shape.pass, shape.type, "", {products * tiles, shape.sizes[2], shape.sizes[3]}};
  CarriedTime other = carried_time(linear, source, target_);
  if (target_.bandwidth) other.time_s += work_of(shape).bytes / target_.bandwidth->value;
  if (other.time_s < result.time_s) {
    result.time_s = other.time_s;
    result.deviation = other.deviation;
    result.kind = format("winograd.{}.{}", shape.pass, shape.type);
  }
  return result;
}

OpEstimate TimeModel::carried_from(const SourceModel& source, const OpShape& shape) const {
  OpEstimate result = carried_once(source, shape);
  result.time_s *= std::exp(level_of(source, shape));
  return result;
}

double TimeModel::level_of(const SourceModel& source, const OpShape& shape) const {
  constexpr std::size_t sampled_rows = 24;
  if (shape.pass == "forward" || !is_product(shape.op)) return 0.0;
  OpShape forward = shape;
  forward.pass = "forward";
  const std::string kind = forward.kind();
  for (const auto& relative : sources_) {
    if (relative.get() == &source) break;  // only what is nearer than the source can correct it
    const double share = level_share(relation_of(target_, relative->device()));
    if (share == 0.0 || !relative->own(forward) || !source.own(forward)) continue;
    const std::string key = kind + " " + source.device().id + " " + relative->device().id;
    return known_->levels.get(key, [&] {
      const std::vector<device::OpRow>& rows = relative->calibration().ops.at(kind).rows;
      const std::size_t step = std::max<std::size_t>(1, rows.size() / sampled_rows);
      std::vector<double> off;
      for (std::size_t i = 0; i < rows.size(); i += step) {
        forward.sizes = rows[i].sizes;
        const double carried = carried_time(forward, source, relative->device()).time_s;
        off.push_back(std::log(rows[i].time_s / carried));
      }
      return share * quantile(off, 0.5);
    });
  }
  return 0.0;
}

std::optional<TimeModel::ObservedWorkspace> TimeModel::workspace(const OpShape& shape) const {
  for (const auto& source : sources_) {
    // Publications of times say nothing about memory.
    if (std::ranges::all_of(source->entry().kinds, &device::CalibratedKind::published)) continue;
    const auto found = source->nearest(shape);
    if (!found) continue;
    std::optional<Workspace> workspace = found->model->workspace(found->shape.sizes);
    if (workspace) return ObservedWorkspace{*std::move(workspace), &source->device()};
  }
  return std::nullopt;
}

}  // namespace rooflab::predict
