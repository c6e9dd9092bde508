#include "first_rule.hpp"

#include <algorithm>
#include <utility>

#include "predict/achievable_rate.hpp"

namespace rooflab::accuracy {
namespace {

using predict::OpShape;

double lanes(const device::Device& device) {
  return device.sm_count->value *
         (device.fp32_lanes_per_sm ? device.fp32_lanes_per_sm->value : 128.0);
}

double limit(const OpShape& shape, const device::Device& device) {
  return predict::datasheet_times(shape, device).longest();
}

}  // namespace

FirstRule::FirstRule(const device::Calibration& calibration, device::Device source)
    : calibration_(calibration), source_(std::move(source)) {}

const predict::OpModel* FirstRule::model(const std::string& kind) {
  if (const auto known = models_.find(kind); known != models_.end()) return known->second.get();
  const auto table = calibration_.ops.find(kind);
  std::unique_ptr<predict::OpModel> made;
  if (table != calibration_.ops.end() && !table->second.curve.empty()) {
    made = std::make_unique<predict::OpModel>(kind, table->second, source_.sm_count->value);
  }
  return models_.emplace(kind, std::move(made)).first->second.get();
}

std::optional<FirstRule::Found> FirstRule::find(const OpShape& shape) {
  if (const predict::OpModel* const own = model(shape.kind())) return Found{own, shape};
  if (predict::is_product(shape.op) || shape.type != "f32") return std::nullopt;
  // Work on elements as a ReLU that moves as many bytes.
  OpShape plain{"relu", "forward", "f32", "", {}};
  plain.sizes = {std::max(1.0, predict::work_of(shape).bytes / 2.0 / 4.0)};
  const predict::OpModel* const found = model(plain.kind());
  return found == nullptr ? std::nullopt : std::optional(Found{found, std::move(plain)});
}

std::optional<double> FirstRule::carried(const OpShape& shape, const device::Device& target) {
  OpShape scaled = shape;
  scaled.sizes.front() = std::max(1.0, shape.sizes.front() * lanes(source_) / lanes(target));
  const std::optional<Found> found = find(scaled);
  if (!found) return std::nullopt;
  const double there = found->model->estimate(found->shape.sizes).time_s;
  const double floor = std::min(found->model->floor(), there);
  const predict::RoofTimes roofs = predict::datasheet_times(scaled, source_);
  const bool by_memory = roofs.matrix_s <= roofs.memory_s;
  // Nothing ran at more than three times the direct algorithm's limit, or beyond the memory.
  const double work = std::max(there - floor, by_memory ? roofs.longest() : roofs.longest() / 3.0);
  return floor + limit(shape, target) * work / roofs.longest();
}

std::optional<double> FirstRule::time_s(const OpShape& shape, const device::Device& target) {
  const std::optional<double> direct = carried(shape, target);
  const bool winograd = shape.op == "conv2d" && shape.type == "fp32" && shape.sizes[5] == 9.0 &&
                        shape.sizes[6] == 1.0 && shape.sizes[2] >= 16.0 && shape.sizes[3] >= 16.0;
  if (!direct || !winograd) return direct;
  // F(2x2, 3x3): 16 products for 4 results, and the transforms.
  const double tiles = shape.sizes[0] * shape.sizes[1] / 4.0;
  const OpShape linear{
      "linear", shape.pass, shape.type, "", {16.0 * tiles, shape.sizes[2], shape.sizes[3]}};
  const std::optional<double> products = carried(linear, target);
  if (!products) return direct;
  return std::min(*direct, *products + predict::work_of(shape).bytes / target.bandwidth->value);
}

}  // namespace rooflab::accuracy
