// The time of an op on a device.
//
// On a device that was measured: the model of the op's kind (op_model.cpp). Where the kind was not
// measured, the nearest that was: the other half-precision type, FP32 for TF32 where a kernel knows
// no TF32, the other memory layout, the plain elementwise op of as many bytes; each with a wider
// deviation. Where nothing is near: the limit over a typical efficiency, and a deviation of 0.5.
//
// On a device that was not measured, the calibration of a relative is carried over. What carries is
// the efficiency against the roofline at equal work per multiprocessor: the question is put with
// the leading extent (batch, rows, elements) scaled by the ratio of multiprocessors, so that waves
// and tails are those of the target, and
//
//     t = t0 + limit(target) / e,   e = limit(source, scaled) / (t(source, scaled) - t0)
//
// with t0 the kind's floor, an absolute time. Memory-bound ops are not let profit from the source's
// L2: e stays at or below 1. The sustained fraction of the datasheet's peak differs between devices
// by 15 to 35 % and does not carry: an error that all ops share, which carried_deviation() says.
//
// FP32 convolutions of 3x3 with stride 1 are special. Since version 5 cuDNN runs them by Winograd's
// algorithm where that is faster: F(2x2, 3x3) makes 16 products for 4 results of 9 products each,
// 2.25 times fewer. On a carried device the time is the lesser of the direct algorithm's and of
// Winograd's, taken as the 16 products [tiles x Cin] [Cin x Cout] that it consists of, as one
// linear op of the same extents, which brings its own measured efficiency, and the transforms as a
// read of the input and a write of the output. So a prediction may lie below the limit, which is of
// the direct algorithm. Source: Lavin and Gray, "Fast algorithms for convolutional neural
// networks", CVPR 2016, sections 4.1 and 5; NVIDIA, cuDNN 5 release notes (April 2016).

#include "rooflab/predict/time_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::predict {
namespace {

constexpr double typical_efficiency = 0.6;
constexpr double unknown_deviation = 0.5;
constexpr double other_type_deviation = 0.2;
/// fp16 and bf16 run on the same units: products at 652 and 697 TFLOP/s on the H200, as the power
/// limit allows (docs/measured/h200.md); everything else moves the same bytes.
constexpr double other_half_deviation = 0.07;
constexpr double other_layout_deviation = 0.3;
constexpr double other_function_deviation = 0.3;
constexpr double smallest_launch_s = 2e-6;
/// Sustained fractions of the datasheet's peak differ so much between devices.
constexpr double same_architecture_deviation = 0.12;
constexpr double other_architecture_deviation = 0.25;

ArithmeticPath path_of(std::string_view type) {
  if (type == "fp64") return ArithmeticPath::fp64_vector;
  if (type == "tf32") return ArithmeticPath::tf32_tensor;
  if (type == "bf16") return ArithmeticPath::bf16_tensor_fp32;
  if (type == "fp16") return ArithmeticPath::fp16_tensor_fp32;
  return ArithmeticPath::fp32_vector;
}

bool is_half(std::string_view type) { return type == "fp16" || type == "f16" || type == "bf16"; }

/// Types whose kernels are most alike, nearest first.
std::vector<std::string_view> other_types(std::string_view type) {
  if (type == "fp16") return {"bf16", "tf32", "fp32"};
  // Both of matrix paths and of data.
  if (type == "bf16") return {"fp16", "f16", "tf32", "fp32", "f32"};
  if (type == "tf32" || type == "fp64") return {"fp32"};
  if (type == "f16") return {"bf16", "f32"};
  if (type == "f32") return {"bf16", "f16"};
  return {"f32", "bf16"};
}

}  // namespace

std::string_view name_of(TimeSource source) {
  constexpr std::array<std::string_view, 3> names = {"measured kind", "other kind", "roofline"};
  return names[static_cast<std::size_t>(source)];
}

TimeModel::TimeModel(std::shared_ptr<const device::Calibration> calibration, device::Device source,
                     device::Device target)
    : calibration_(std::move(calibration)),
      source_(std::move(source)),
      target_(std::move(target)) {}
TimeModel::~TimeModel() = default;
TimeModel::TimeModel(TimeModel&&) noexcept = default;
TimeModel& TimeModel::operator=(TimeModel&&) noexcept = default;

const OpModel* TimeModel::model(const std::string& kind) const {
  if (const auto known = models_.find(kind); known != models_.end()) return known->second.get();
  const auto table = calibration_->ops.find(kind);
  std::unique_ptr<OpModel> made;
  if (table != calibration_->ops.end() && !table->second.curve.empty()) {
    const double multiprocessors = source_.sm_count ? source_.sm_count->value : 1.0;
    made = std::make_unique<OpModel>(kind, table->second, multiprocessors);
  }
  return models_.emplace(kind, std::move(made)).first->second.get();
}

TimeModel::Found TimeModel::find(const OpShape& shape) const {
  const auto attempt = [this](OpShape asked, double factor, double extra) -> Found {
    const std::string kind = asked.kind();
    const OpModel* found = model(kind);
    return found == nullptr ? Found{} : Found{found, kind, std::move(asked), factor, extra};
  };
  if (Found own = attempt(shape, 1.0, 0.0); own.model != nullptr) return own;
  // A strided cast is a cast whose time the copy decides.
  if (shape.op.ends_with("_strided")) {
    OpShape plain = shape;
    plain.op = shape.op.substr(0, shape.op.size() - std::string_view("_strided").size());
    if (Found found = attempt(plain, 1.3, other_layout_deviation); found.model != nullptr) {
      return found;
    }
  }
  // A cast is named after the type that it gives; what it reads comes below.
  if (constexpr std::string_view cast = "cast_f16"; shape.op.starts_with(cast)) {
    OpShape other = shape;
    other.op.replace(0, cast.size(), "cast_bf16");
    if (Found found = find(other); found.model != nullptr) {
      found.extra_deviation = std::hypot(found.extra_deviation, other_half_deviation);
      return found;
    }
  }
  for (const std::string_view type : other_types(shape.type)) {
    OpShape other = shape;
    other.type = type;
    // Depthwise kernels for NCHW work on the CUDA cores whatever the precision allows.
    const bool equal = shape.op.ends_with("_depthwise") && shape.type == "tf32";
    double factor = 1.0;
    if (!equal) {
      factor = is_product(shape.op) ? limit(shape, source_) / limit(other, source_)
                                    : element_bytes(shape.type) / element_bytes(type);
    }
    const double extra = equal                                  ? 0.0
                         : is_half(shape.type) && is_half(type) ? other_half_deviation
                                                                : other_type_deviation;
    if (Found found = attempt(other, factor, extra); found.model != nullptr) return found;
  }
  if (!shape.layout.empty()) {
    OpShape other = shape;
    other.layout = shape.layout == "nhwc" ? "nchw" : "nhwc";
    if (Found found = attempt(other, 1.0, other_layout_deviation); found.model != nullptr) {
      return found;
    }
  }
  if (is_product(shape.op)) return {};
  // Work on every element by bytes: a plain function reads one tensor and writes one.
  const OpWork work = work_of(shape);
  const bool half = element_bytes(shape.type) < 4.0;
  OpShape plain{"relu", "forward", half ? "bf16" : "f32", "", {}};
  plain.sizes = {std::max(1.0, work.bytes / 2.0 / element_bytes(plain.type))};
  return attempt(plain, 1.0, other_function_deviation);
}

OpEstimate TimeModel::estimate_on_source(const OpShape& shape, const Found& found) const {
  if (found.model == nullptr) {
    return {smallest_launch_s + limit(shape, source_) / typical_efficiency, unknown_deviation,
            TimeSource::roofline, "limit"};
  }
  const OpModel::Estimate estimate = found.model->estimate(found.shape.sizes);
  const bool own = found.kind == shape.kind();
  return {estimate.time_s * found.factor, std::hypot(estimate.deviation, found.extra_deviation),
          own ? TimeSource::measured_kind : TimeSource::other_kind, found.kind};
}

double TimeModel::limit(const OpShape& shape, const device::Device& device) const {
  const OpWork work = work_of(shape);
  double time = 0.0;
  if (work.matrix_flops > 0.0) {
    std::optional<double> peak = device::peak(device, path_of(shape.type));
    if (!peak) peak = device::peak(device, ArithmeticPath::fp32_vector);
    if (peak) time = work.matrix_flops / *peak;
  }
  if (device.bandwidth) time = std::max(time, work.bytes / device.bandwidth->value);
  return time;
}

OpEstimate TimeModel::carried_over(const OpShape& shape) const {
  OpShape scaled = shape;
  if (source_.sm_count && target_.sm_count) {
    // Multiprocessors differ in width: what fills them is lanes.
    const auto lanes = [](const device::Device& device) {
      return device.sm_count->value *
             (device.fp32_lanes_per_sm ? device.fp32_lanes_per_sm->value : 128.0);
    };
    scaled.sizes.front() = std::max(1.0, shape.sizes.front() * lanes(source_) / lanes(target_));
  }
  const Found found = find(scaled);
  const OpEstimate there = estimate_on_source(scaled, found);
  const double floor =
      std::min(found.model == nullptr ? smallest_launch_s : found.model->floor(), there.time_s);
  const double limit_there = limit(scaled, source_);
  const bool by_memory =
      source_.bandwidth && limit_there <= work_of(scaled).bytes / source_.bandwidth->value;
  // Nothing runs at more than three times the direct algorithm's limit, or beyond the memory.
  const double least = by_memory ? limit_there : limit_there / 3.0;
  const double work_time = std::max(there.time_s - floor, least);
  const double efficiency = limit_there / work_time;
  OpEstimate result = there;
  result.time_s = floor + limit(shape, target_) / efficiency;
  return result;
}

double TimeModel::carried_deviation() const {
  if (!carried()) return 0.0;
  return source_.architecture == target_.architecture ? same_architecture_deviation
                                                      : other_architecture_deviation;
}

OpEstimate TimeModel::winograd(const OpShape& shape) const {
  constexpr double products = 16.0;
  constexpr double results = 4.0;
  const double tiles = shape.sizes[0] * shape.sizes[1] / results;
  OpShape linear{
      "linear", shape.pass, shape.type, "", {products * tiles, shape.sizes[2], shape.sizes[3]}};
  OpEstimate estimate = carried_over(linear);
  if (target_.bandwidth) estimate.time_s += work_of(shape).bytes / target_.bandwidth->value;
  estimate.kind = format("winograd.{}.{}", shape.pass, shape.type);
  return estimate;
}

OpEstimate TimeModel::estimate(const OpShape& shape) const {
  if (!carried()) return estimate_on_source(shape, find(shape));
  OpEstimate direct = carried_over(shape);
  const bool square = shape.op == "conv2d" && shape.type == "fp32" && shape.sizes[5] == 9.0 &&
                      shape.sizes[6] == 1.0 && shape.sizes[2] >= 16.0 && shape.sizes[3] >= 16.0 &&
                      target_.vendor == "NVIDIA";
  if (!square) return direct;
  OpEstimate other = winograd(shape);
  return other.time_s < direct.time_s ? other : direct;
}

std::optional<TimeModel::Workspace> TimeModel::workspace(const OpShape& shape) const {
  const Found found = find(shape);
  if (found.model == nullptr) return std::nullopt;
  return found.model->workspace(found.shape.sizes);
}

std::optional<Relative> nearest_relative(
    const device::Device& target,
    const std::vector<std::shared_ptr<const device::Calibration>>& calibrations,
    const std::map<std::string, device::Device>& devices) {
  std::optional<Relative> best;
  double least = 0.0;
  const auto capability = [](const device::Device& device) {
    const std::optional<double> number =
        device.compute_capability ? parse_number(device.compute_capability->value) : std::nullopt;
    return number.value_or(0.0);
  };
  for (const auto& calibration : calibrations) {
    const auto known = devices.find(calibration->device);
    if (known == devices.end() || calibration->ops.empty()) continue;
    const device::Device& device = known->second;
    Relative relative{calibration, device, device.id == target.id,
                      !device.architecture.empty() && device.architecture == target.architecture};
    double distance = std::abs(capability(device) - capability(target));
    if (device.vendor != target.vendor) distance += 100.0;
    if (relative.same_architecture) distance = 0.01;
    if (relative.same) distance = 0.0;
    if (!best || distance < least) {
      least = distance;
      best = std::move(relative);
    }
  }
  return best;
}

}  // namespace rooflab::predict
